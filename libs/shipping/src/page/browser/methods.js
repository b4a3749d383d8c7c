import { folded } from '../../validation/text.js';
import * as api from './api.js';
import { MoveDialog, RemoveDialog, ReplaceDialog } from './method-dialogs.js';
import { MethodForm } from './method-form.js';
import { MethodList } from './method-list.js';
import { codesOf, marksOf, requestOf } from './method.js';
import { inCheckoutOrder, renumbered } from './move.js';
import { plural, settings, t } from './settings.js';
import { notify } from './status.js';
import { formValues, html, Section } from './view.js';

const isDefaults = api.projectId === settings.defaults;

/** The filters are in the address, so that the user can load the page again, or send a link to it. */
const filterNames = ['q', 'carrier', 'active', 'values'];

// Each request of a change knows the request that takes it back.
const updating = (method, changes) => ({
  send: () => api.update(method, changes),
  undo: (saved) => updating(saved, requestOf(method)),
});
const creating = (request) => ({ send: () => api.create(request), undo: (saved) => removing(saved) });
const removing = (method) => ({ send: () => api.remove(method), undo: () => creating(requestOf(method)) });

export class Methods extends Section {
  state = { filters: Object.fromEntries(filterNames.map((name) => [name, api.address.get(name) ?? ''])) };
  writes = Promise.resolve();

  async read() {
    const [carriers, defaults] = await Promise.all([api.tree(), this.readDefaults()]);
    const methods = carriers.flatMap((carrier) => carrier.methods).toSorted(inCheckoutOrder);
    const codes = new Set(methods.map(codesOf));
    const byCodes = new Map(defaults?.map((method) => [codesOf(method), method]));
    return {
      carriers,
      methods,
      defaults: byCodes,
      missing: [...byCodes.values()].filter((method) => !codes.has(codesOf(method))),
      places: new Map(methods.map(({ id }, index) => [id, index + 1])),
      marks: new Map(methods.map((method) => [method.id, marksOf(method, byCodes.get(codesOf(method)))])),
    };
  }

  /** Returns undefined if this user may not read the defaults project. The page does without them then. */
  async readDefaults() {
    if (isDefaults || this.mayNotRead) return undefined;
    const carriers = await api.tree(settings.defaults).catch(({ status }) => {
      this.mayNotRead = status === 401 || status === 403;
    });
    return carriers?.flatMap(({ methods }) => methods).toSorted(inCheckoutOrder);
  }

  filter = (event) => this.show({ ...this.state.filters, ...formValues(event) });
  show = (filters) => {
    for (const name of filterNames) filters[name] ? api.address.set(name, filters[name]) : api.address.delete(name);
    history.replaceState(null, '', `?${api.address}`);
    this.setState({ filters });
  };
  isFiltered = () => filterNames.some((name) => this.state.filters[name] !== '');

  /** Searches as the API does: each word must be a part of a code or a label. Case and accents do not count. */
  matching({ methods, marks, filters: { q, carrier, active, values } } = this.state) {
    const words = folded(q).split(/\s+/);
    const matches = (method) => {
      const { carrier_code, carrier_label, method_code, method_label, is_active, id } = method;
      const texts = [carrier_code, carrier_label ?? '', method_code, method_label].map(folded);
      return (
        (carrier === '' || carrier === carrier_code) &&
        (active === '' || active === String(is_active)) &&
        (values === '' || (values === 'own') === marks.get(id).own.length > 0) &&
        words.every((word) => texts.some((text) => text.includes(word)))
      );
    };
    return this.isFiltered() ? methods.filter(matches) : methods;
  }

  find = (id) => this.state.methods.find((method) => method.id === id);

  /**
   * Changes run one after another, because a user may press keys faster than the server responds.
   * @param decide returns the requests, when the changes before it are in the list
   */
  write = (decide, success) => (this.writes = this.writes.then(() => this.run(decide(), success)));

  async run(steps, success) {
    if (steps.length === 0) return;
    const done = [];
    let problem;
    for (const [index, step] of steps.entries()) {
      notify(index > 0 ? t('saving_many', { done: index, count: steps.length }) : t('saving'), { isBusy: true });
      const saved = await step.send().catch((error) => void (problem = error));
      if (problem) break;
      done.unshift(step.undo(saved));
    }
    const isConflict = problem?.code === 'version_mismatch';
    if (!problem) this.report(success, done);
    else if (done.length === 0) notify(isConflict ? t('list_conflict') : api.failureOf(problem), { isError: true });
    else {
      const stopped = t('stopped', { done: done.length, count: steps.length });
      this.report(`${stopped} ${isConflict ? t('list_conflict') : api.reasonOf(problem)}`, done, true);
    }
    await this.load();
  }

  /** Tells what has happened, and offers to take it back. */
  report = (text, undo, isError = false) => notify(text, { isError, undo: () => this.write(() => undo, t('undone')) });

  /** Somebody else may have done the same since the click. */
  toggle = (id, is_active) => {
    const method = this.find(id);
    const success = t(is_active ? 'is_active_now' : 'is_inactive_now', { label: method.method_label });
    return this.write(() => this.turning([method], is_active), success);
  };
  turning = (methods, is_active) =>
    methods
      .map(({ id }) => this.find(id))
      .filter((method) => method && method.is_active !== is_active)
      .map((method) => updating(method, { is_active }));
  toggleAll = (methods, is_active) =>
    this.write(() => this.turning(methods, is_active), plural(is_active ? 'are_active_now' : 'are_inactive_now', methods.length));

  replace = (changes) => {
    const steps = () => changes.map(([{ id }, method_label]) => updating(this.find(id), { method_label }));
    return this.write(steps, plural('replaced_now', changes.length));
  };

  move = (id, steps) => {
    this.writes = this.writes.then(() => this.moveNow(id, steps));
  };

  /** The list shows the new order at once, and the server gets it then. */
  async moveNow(id, steps) {
    const { methods } = this.state;
    const from = methods.findIndex((method) => method.id === id);
    const to = Math.max(0, Math.min(from + steps, methods.length - 1));
    if (from === -1 || to === from) return;
    const moved = methods[from];
    const wanted = methods.toSpliced(from, 1).toSpliced(to, 0, moved);
    this.setState({ methods: wanted, places: new Map(wanted.map((method, index) => [method.id, index + 1])) });
    const changes = renumbered(wanted, moved).map(([method, sort_order]) => updating(method, { sort_order }));
    await this.run(changes, t('is_moved', { label: moved.method_label, place: to + 1, count: methods.length }));
  }

  adopt = () => {
    const { missing } = this.state;
    const requests = missing.map((method) => ({ ...requestOf(method), is_active: true, use_default: true }));
    return this.write(() => requests.map(creating), plural('adopted', missing.length));
  };

  remove = async (method) => {
    const dialog = document.querySelector('dialog');
    this.setState({ removing: { method, isSent: true } });
    const { send, undo } = removing(method);
    const problem = await send().then(
      () => undefined,
      (error) => error,
    );
    if (problem?.code === 'method_in_use' && dialog.open) return this.setState({ removing: { method, isUsed: true } });
    dialog.close();
    if (problem) notify(problem.code === 'version_mismatch' ? t('list_conflict') : api.failureOf(problem), { isError: true });
    else this.report(t('is_removed', { label: method.method_label }), [undo()]);
    await this.load();
  };

  /** The form has saved a method. */
  saved = async (text, method, saved) => {
    if (saved) this.report(text, [method.id ? updating(saved, requestOf(method)) : removing(saved)]);
    await this.load();
  };

  edit = (editing) => this.setState({ editing });
  editById = (id) => this.edit(this.find(id));
  /** The form closes first, so that the focus returns to the row. */
  askToRemove = (method) => this.setState({ editing: undefined, removing: { method } });
  askToMove = (id) => this.setState({ moving: id });
  /** A new method comes last. */
  add = (carrier = {}) => {
    const last = this.state.methods.at(-1)?.sort_order ?? 0;
    this.edit({ ...carrier, sort_order: Math.min(last + 10, 2 ** 31 - 1), key: performance.now() });
  };

  render(_props, { methods, carriers, defaults, problem, filters }) {
    const inherits = defaults?.size > 0 || methods?.some(({ use_default }) => use_default);
    const option = ({ carrier_code: code, carrier_label }) => html`<option key=${code} value=${code}>${carrier_label}</option>`;
    const choices = (name, label, ...options) => html`
      <select name=${name} aria-label=${label} value=${filters[name]}>${options}</select>`;
    const choice = ([value, label]) => html`<option value=${value}>${label}</option>`;
    const activities = ['all_activities', 'active', 'inactive'].map((name, index) => [['', 'true', 'false'][index], t(name)]);
    const values = ['all_values', 'own_values', 'shared_values'].map((name, index) => [['', 'own', 'shared'][index], t(name)]);
    return html`
      <section aria-labelledby="methods">
        <div class="bar">
          <h2 id="methods" tabindex="-1">${t('methods')}</h2>
          <button disabled=${!methods} onClick=${() => this.add()}>${t('add')}</button>
        </div>
        ${isDefaults && html`<p class="hint">${t('shared_project')}</p>`}
        ${methods && this.adoption()}
        <search>
          <form class="row" autocomplete="off" onInput=${this.filter} onSubmit=${this.filter}>
            <input name="q" type="search" dir="auto" maxlength="100" aria-label=${t('search')} placeholder=${t('search')} value=${filters.q} />
            ${choices('carrier', t('carrier'), choice(['', t('all_carriers')]), carriers?.map(option))}
            ${choices('active', t('activity'), activities.map(choice))}
            ${inherits && choices('values', t('values'), values.map(choice))}
          </form>
        </search>
        ${(problem || !methods) && this.waiting()}
        ${methods && this.list()}
        <datalist id="carriers">${carriers?.map(option)}</datalist>
        ${methods && this.dialogs()}
      </section>`;
  }

  adoption({ missing, isLater } = this.state) {
    if (missing.length === 0 || isLater) return null;
    const names = missing.slice(0, 5).map(({ method_label }) => method_label);
    return html`
      <div class="hint bar">
        <p>${plural('missing', missing.length)} <bdi>${names.join(', ')}</bdi>${missing.length > 5 && ' …'}</p>
        <div class="row">
          <button onClick=${this.adopt}>${t('adopt')}</button>
          <button class="quiet" onClick=${() => this.setState({ isLater: true })}>${t('not_now')}</button>
        </div>
      </div>`;
  }

  list({ methods, marks, filters } = this.state) {
    const shown = this.matching();
    const isFiltered = this.isFiltered();
    const title = isFiltered ? t('no_match') : t('no_methods', { project: api.projectId });
    const all = () => this.show(Object.fromEntries(filterNames.map((name) => [name, ''])));
    const { toggle, move, askToMove } = this;
    return html`
      ${methods.length > 0 && html`<div class="bar">${this.count(shown, isFiltered)}</div>`}
      ${
        shown.length === 0 &&
        html`
        <div class="state">
          <h3>${title}</h3>
          ${isFiltered && html`<button onClick=${all}>${t('show_all')}</button>`}
        </div>`
      }
      <${MethodList} methods=${shown} canMove=${!isFiltered} edit=${this.editById}
        ...${{ marks, filters, toggle, move, askToMove }} />`;
  }

  /** Says how many methods there are. If only some of them are shown, it offers to change all of these. */
  count(shown, isFiltered) {
    const count = this.state.methods.length;
    if (!isFiltered) return html`<small>${plural('count', count)}</small>`;
    const active = shown.filter(({ is_active }) => is_active);
    const turn = () => this.toggleAll(active.length > 0 ? active : shown, active.length === 0);
    return html`
      <small>${plural('count_filtered', count, { shown: shown.length })}</small>
      <div class="row" hidden=${shown.length === 0}>
        <button class="quiet" onClick=${turn}>
          ${active.length > 0 ? t('switch_off', { count: active.length }) : t('switch_on', { count: shown.length })}
        </button>
        <button class="quiet" onClick=${() => this.setState({ replacing: shown })}>${t('replace_in', { count: shown.length })}</button>
      </div>`;
  }

  dialogs({ methods, places, defaults, editing, removing, moving, replacing } = this.state) {
    const { toggle, move, remove, replace } = this;
    const closing = (name) => () => this.setState({ [name]: undefined });
    const form = {
      method: editing,
      methods,
      places,
      defaults,
      open: this.edit,
      add: this.add,
      saved: this.saved,
      remove: this.askToRemove,
    };
    const moved = moving && this.find(moving);
    const place = { method: moved, place: places.get(moving), count: methods.length, move };
    return html`
      ${editing && html`<${MethodForm} key="${editing.id ?? editing.key} ${editing.etag}" ...${form} onClose=${closing('editing')} />`}
      ${removing && html`<${RemoveDialog} ...${removing} ...${{ remove, toggle }} onClose=${closing('removing')} />`}
      ${moved && html`<${MoveDialog} ...${place} onClose=${closing('moving')} />`}
      ${replacing && html`<${ReplaceDialog} methods=${replacing} replace=${replace} onClose=${closing('replacing')} />`}`;
  }
}
