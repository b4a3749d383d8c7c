import { codesKey } from '../../shipping-methods/method-codes.js';
import { int32 } from '../../validation/int32.js';
import { address, isDefaults, projectId, putIntoAddress } from './address.js';
import * as api from './api.js';
import { Changes, creationOf, failureOf, removalOf, restorationOf, updateOf } from './changes.js';
import { MoveDialog, RemoveDialog, ReplaceDialog } from './method-dialogs.js';
import { Filters, filtersInAddress, isFiltered, matching, noFilters } from './method-filters.js';
import { MethodForm } from './method-form.js';
import { MethodList } from './method-list.js';
import { marksOf, requestOf } from './method.js';
import { inCheckoutOrder, renumbered } from './move.js';
import { plural, settings, t } from './settings.js';
import { clearErrors, notify } from './status.js';
import { html, once, Section } from './view.js';

const placesOf = (methods) => new Map(methods.map(({ id }, index) => [id, index + 1]));

export class Methods extends Section {
  heading = 'methods';
  state = { filters: filtersInAddress(), kept: new Set() };
  changes = new Changes((saved) => {
    this.keep(saved.filter(({ id }) => id && !this.find(id)));
    this.merge(saved);
    return this.load();
  });

  /** Perhaps the list cannot be read now. What has been saved is known nevertheless. */
  merge(saved) {
    if (saved.length === 0) return;
    const now = new Map(saved.map((method) => [method.id, method]));
    const methods = this.state.methods.map((method) => now.get(method.id) ?? method).toSorted(inCheckoutOrder);
    this.setState({ methods, places: placesOf(methods) });
  }

  componentDidMount() {
    super.componentDidMount();
    // Meanwhile, another user may have changed the methods.
    addEventListener('visibilitychange', () => document.hidden || this.load());
  }

  async read() {
    const [carriers, defaults] = await Promise.all([api.tree(), this.readDefaults()]);
    const methods = carriers.flatMap((carrier) => carrier.methods).toSorted(inCheckoutOrder);
    const codes = new Set(methods.map(codesKey));
    const defaultsByCodes = new Map(defaults?.map((method) => [codesKey(method), method]));
    const linked = methods.find(({ id }) => id === address.get('method'));
    if (linked) putIntoAddress({ method: '' });
    return {
      ...(linked && { editing: linked }),
      carriers,
      methods,
      defaults: defaultsByCodes,
      missing: [...defaultsByCodes.values()].filter((method) => !codes.has(codesKey(method))),
      places: placesOf(methods),
      marks: new Map(methods.map((method) => [method.id, marksOf(method, defaultsByCodes.get(codesKey(method)))])),
    };
  }

  /** Returns undefined if this user may not read the defaults project. The page does without them then. */
  async readDefaults() {
    if (isDefaults || this.mayNotRead) return undefined;
    const carriers = await api.tree(settings.defaults).catch(({ status }) => {
      this.mayNotRead = [401, 403, 404].includes(status);
    });
    return carriers?.flatMap(({ methods }) => methods).toSorted(inCheckoutOrder);
  }

  show = (filters) => {
    putIntoAddress(filters);
    this.setState({ filters, kept: new Set() });
  };
  /** These methods stay in the list until the filters are changed. */
  keep = (methods) => this.setState(({ kept }) => ({ kept: new Set([...kept, ...methods.map(({ id }) => id)]) }));

  /** Without this, a switched row would leave the list, and a second click would switch the next one. */
  keepIfFiltered = (methods) => isFiltered(this.state.filters) && this.keep(methods);

  showAll = () => this.show(noFilters);

  find = (id) => this.state.methods.find((method) => method.id === id);

  /** Switches a method on or off, unless somebody else has done the same since the click. */
  toggle = (id, is_active) => {
    const method = this.find(id);
    this.keepIfFiltered([method]);
    // A project may have a switch of its own, so nobody knows what customers see after a change of a default.
    const text = isDefaults ? 'saved' : is_active ? 'is_active_now' : 'is_inactive_now';
    const success = t(text, { label: method.method_label });
    return this.changes.add(() => this.switchRequests([method], is_active), success);
  };
  switchRequests = (methods, is_active) =>
    methods
      .map(({ id }) => this.find(id))
      .filter((method) => method && method.is_active !== is_active)
      .map((method) => updateOf(method, { is_active }));
  toggleAll = (methods, is_active) => {
    this.keepIfFiltered(methods);
    const text = isDefaults ? 'are_saved' : is_active ? 'are_active_now' : 'are_inactive_now';
    const success = plural(text, methods.length);
    return this.changes.add(() => this.switchRequests(methods, is_active), success);
  };

  replace = (changes) => {
    const requests = () =>
      changes.flatMap(([previewed, method_label]) => {
        const method = this.find(previewed.id);
        // The API refuses the old method, so that a name is kept that somebody else has given meanwhile.
        const isSame = method?.method_label === previewed.method_label;
        return method ? [updateOf(isSame ? method : previewed, { method_label })] : [];
      });
    this.keep(changes.map(([method]) => method));
    return this.changes.add(requests, plural('replaced_now', changes.length));
  };

  /**
   * @param placeOf returns the new place. It is called after the moves before this one, and finds none if the target is gone
   * @param isStep whether it is one of several presses of a key, which are taken back together
   */
  move = (id, placeOf, isStep) => this.changes.queue(() => this.moveNow(id, placeOf, isStep));

  /** The list shows the new order at once, and the server gets it then. */
  async moveNow(id, placeOf, isStep) {
    const { methods, places } = this.state;
    const from = methods.findIndex((method) => method.id === id);
    const to = Math.max(0, Math.min(placeOf() - 1, methods.length - 1));
    if (from === -1 || Number.isNaN(to) || to === from) return;
    const moved = methods[from];
    const wanted = methods.toSpliced(from, 1).toSpliced(to, 0, moved);
    this.setState({ methods: wanted, places: placesOf(wanted) });
    const requests = renumbered(wanted, moved).map(([method, sort_order]) => updateOf(method, { sort_order }));
    const isMoved = await this.changes.run(
      requests,
      t('is_moved', { label: moved.method_label, place: to + 1, count: methods.length }),
      { moved: isStep ? id : undefined },
    );
    // During an outage, nobody knows the order, and the list shows the last one that was read.
    if (!isMoved && this.state.methods === wanted) this.setState({ methods, places });
  }

  adopt = (defaults) => {
    const adopting = (method) => creationOf({ ...requestOf(method), is_active: true, use_default: true });
    const isMissing = (method) => this.state.missing.some((each) => codesKey(each) === codesKey(method));
    return this.changes.add(() => defaults.filter(isMissing).map(adopting), plural('adopted', defaults.length));
  };

  /** The focus goes to the next default, and not to the new row. */
  adoptOne = async (method) => {
    this.setState({ hasAllNames: true });
    await this.adopt([method]);
    document.querySelector('.adoption button')?.focus();
  };

  remove = async (method) => {
    const dialog = document.querySelector('dialog');
    clearErrors();
    this.setState({ removing: { method, isSent: true } });
    const { send, undo } = removalOf(method);
    const problem = await send().then(
      () => undefined,
      (error) => error,
    );
    if (problem?.code === 'method_in_use' && dialog.open)
      return this.setState({ removing: { method, isUsed: true } }, () => dialog.querySelector('button:not([hidden])').focus());
    dialog.close();
    if (problem) notify(failureOf(problem), { isError: true });
    else this.changes.report(t('is_removed', { label: method.method_label }), [undo()]);
    await this.load();
  };

  /** The form has saved a method, or the list may be old. */
  afterSave = async (text, method, saved) => {
    if (saved) {
      this.changes.report(text, [method.id ? restorationOf(saved, method) : removalOf(saved)]);
      this.keep([saved]);
      this.merge([saved]);
    }
    await this.load();
  };

  edit = (editing) => this.setState({ editing });
  editById = (id) => this.edit(this.find(id));
  /** The form closes first, so that the focus returns to the row. */
  askToRemove = (method) => this.setState({ editing: undefined, removing: { method } });
  askToMove = (id) => this.setState({ moving: id });
  /** A new method comes last. */
  add = (carrier = {}, last = this.state.methods.at(-1)?.sort_order ?? 0) =>
    this.edit({ ...carrier, sort_order: Math.min(last + 10, int32.max), key: performance.now() });

  render(_props, { methods, carriers = [], defaults, problem, filters }) {
    const hasDefaults = defaults?.size > 0 || methods?.some(({ use_default }) => use_default);
    const known = ({ carrier_code: code, carrier_label }) => html`<option key=${code} value=${code}>${carrier_label}</option>`;
    return html`
      <section aria-labelledby="methods">
        <div class="bar">
          <h2 id="methods" tabindex="-1">${t('methods')}</h2>
          <button disabled=${!methods} onClick=${() => this.add(carriers.find(({ carrier_code }) => carrier_code === filters.carrier))}>${t('add')}</button>
        </div>
        ${isDefaults && html`<p class="hint">${t('shared_project')}</p>`}
        <${Filters} ...${{ filters, carriers, defaults, hasDefaults, show: this.show }} />
        ${(problem || !methods) && this.waiting()}
        ${methods && this.list()}
        <datalist id="carriers">${carriers.map(known)}</datalist>
        ${methods && this.dialogs()}
      </section>`;
  }

  /** In an empty project, this is what most people want to do. Elsewhere it must not be in the way. */
  adoption({ missing, methods, hasAllNames } = this.state) {
    if (missing.length === 0) return null;
    const one = (method) => html`
      <button key=${method.id} class="quiet" title=${plural('adopt', 1)} onClick=${() => this.adoptOne(method)}>+ <bdi>${method.method_label}</bdi></button>${' '}`;
    const atOnce = methods.length > 0 ? 0 : 5;
    const isCut = missing.length > Math.max(1, atOnce) && !hasAllNames;
    const names =
      missing.length === 1 ? html`<bdi>${missing[0].method_label}</bdi> ` : missing.slice(0, isCut ? atOnce : undefined).map(one);
    const more = html`<button class="quiet" onClick=${() => this.setState({ hasAllNames: true })}>${t('show_names')}</button> `;
    return html`
      <small class="adoption">
        ${methods.length > 0 ? plural('missing', missing.length) : t('start_with')} ${names}${isCut && more}
        <button class=${methods.length > 0 && 'quiet'} onClick=${() => this.adopt(missing)}>${plural('adopt', missing.length)}</button>
      </small>`;
  }

  list({ methods, marks, places, filters, kept } = this.state) {
    const shown = matching(this.state);
    const { toggle, move, askToMove, editById: edit } = this;
    return html`
      ${methods.length > 0 && html`<div class="bar count">${this.count(shown)} <small>${t('is_offered')}</small></div>`}
      ${shown.length === 0 && this.emptiness()}
      <${MethodList} methods=${shown} ...${{ marks, places, filters, kept, toggle, move, askToMove, edit }} />`;
  }

  emptiness({ filters } = this.state) {
    const title = isFiltered(filters) ? t('no_match') : t('no_methods', { project: projectId });
    const all = html`<button onClick=${this.showAll}>${t('show_all')}</button>`;
    return html`<div class="state"><h3>${title}</h3>${isFiltered(filters) ? all : this.adoption()}</div>`;
  }

  /** Says how many methods there are. If only some of them are shown, it offers to change all of these. */
  count(shown, { methods, marks, filters } = this.state) {
    const count = methods.length;
    if (!isFiltered(filters))
      return html`<small><span aria-live="polite">${plural('count', count)}</span></small>${this.adoption()}`;
    const switchButton = (is_active) => {
      const isOther = (method) => method.is_active !== is_active && marks.get(method.id).problem !== 'default_off';
      const others = shown.filter(isOther);
      const text = t(is_active ? 'switch_on' : 'switch_off', { count: others.length });
      return (
        others.length > 0 &&
        html`<button class="secondary outline" onClick=${once(() => this.toggleAll(others, is_active))}>${text}</button>`
      );
    };
    return html`
      <small>
        <span aria-live="polite">${plural('count_filtered', count, { shown: shown.length })}</span>${' '}
        ${shown.length > 0 && html`<button class="quiet" onClick=${this.showAll}>${t('show_all')}</button>`}
      </small>
      <div class="row" hidden=${shown.length === 0}>
        ${switchButton(false)} ${switchButton(true)}
        <button class="secondary outline" onClick=${() => this.setState({ replacing: shown })}>${t('replace_in')}</button>
      </div>`;
  }

  dialogs({ methods, places, defaults, filters, editing, removing, moving, replacing } = this.state) {
    const { toggle, move, remove, replace } = this;
    const closing = (name) => () => this.setState({ [name]: undefined });
    const { edit: open, add, afterSave, askToRemove } = this;
    const form = { method: editing, methods, places, defaults, open, add, afterSave, remove: askToRemove };
    const moved = moving && this.find(moving);
    const place = { method: moved, place: places.get(moving), count: methods.length, move };
    return html`
      ${editing && html`<${MethodForm} key="${editing.id ?? editing.key} ${editing.etag}" ...${form} onClose=${closing('editing')} />`}
      ${removing && html`<${RemoveDialog} ...${removing} ...${{ remove, toggle }} onClose=${closing('removing')} />`}
      ${moved && html`<${MoveDialog} ...${place} onClose=${closing('moving')} />`}
      ${replacing && html`<${ReplaceDialog} find=${filters.q} methods=${replacing} replace=${replace} onClose=${closing('replacing')} />`}`;
  }
}
