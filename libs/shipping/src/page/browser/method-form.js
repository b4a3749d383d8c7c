import { codesKey } from '../../shipping-methods/method-codes.js';
import { inheritedFieldsOf, useDefaultOf } from '../../shipping-methods/use-default.js';
import { isDefaults } from './address.js';
import * as api from './api.js';
import { faultyLine, linesOf, metaOf, same } from './meta-lines.js';
import { Comparison } from './method-comparison.js';
import { marksOf, onOrOff, requestOf } from './method.js';
import { t } from './settings.js';
import { clearErrors, notify } from './status.js';
import { asText, closeDialog, Component, Dialog, Field, html, Pairs, SignIn, words } from './view.js';

/** `read` turns the typed text into the value that is sent. The API checks the value. */
const fields = {
  carrier_code: { required: true, list: 'carriers', read: (value) => value.trim() },
  method_code: { required: true, read: (value) => value.trim() },
  method_label: { required: true },
  carrier_label: { read: (value) => value.trim() || null },
  meta: { tag: 'textarea', rows: 4, read: metaOf },
  is_active: { type: 'checkbox', role: 'switch', read: (value) => value !== undefined },
};
const names = [...Object.keys(fields), 'sort_order'];
const codes = new Set(['carrier_code', 'method_code']);
const takenCodes = [{ pointer: '/method_code', code: 'taken' }];
const blanks = { 'U+0020': 'space', 'U+0009': 'tab' };
const withCodes = ['carrier_code', 'carrier_label', 'method_code', 'method_label'];
const withoutCodes = ['method_label', 'carrier_label'];
const addressOf = ({ project_id: project, id: method }) => `?${new URLSearchParams({ project, method })}`;
const newMethod = { carrier_code: '', method_code: '', method_label: '', is_active: true, meta: {}, use_default: false };

/**
 * Turns a violation, which the API describes for programs, into a text for the user. The text has the label of the
 * field, and a shorter rule for codes that names the character.
 */
function readable(violation, values) {
  const { pointer, code, detail } = { pointer: '', detail: '', ...violation };
  const name = String(pointer).split('/')[1];
  const field = t(name) ?? name;
  const isCode = code === 'format' && codes.has(name);
  const isMeta = code === 'type' && pointer === '/meta';
  const { line, repeated } = isMeta ? faultyLine(values.meta) : {};
  const metaKind = isMeta && (repeated ? 'meta_repeated' : 'meta_type');
  const kind = (values[name] === '' && 'required') || (isCode && 'code_format') || metaKind || code;
  const inWords = String(detail).replace(new RegExp(`/?${name}`), field);
  const [, point, position] = /(U\+\w+) at position (\d+)/.exec(detail) ?? [];
  const character = t(blanks[point]) ?? point;
  const [limit] = /\d+(?= characters)/.exec(detail) ?? [];
  const parts = { field, detail: inWords, character, position, limit, line, repeated };
  return { name, text: t(`violation_${kind}`, parts) ?? inWords };
}

/** Enter alone begins a new line in the details. */
const saveByKey = (event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.currentTarget.requestSubmit();

/**
 * The form of one method. A field that comes from the default is shown as text, until the user changes it here. A field
 * of the method's own can be given back to the default.
 */
export class MethodForm extends Component {
  before = { ...newMethod, ...this.props.method };
  state = { violations: [], madeOwn: [], madeInherited: [], hasCodes: !this.props.method.id, isOn: this.before.is_active };
  defaultMethod = this.props.defaults.get(codesKey(this.before));
  marks = this.props.method.id ? marksOf(this.before, this.defaultMethod) : { own: [] };

  /** The name of a method is what people change most. A new method has no code yet, and perhaps no carrier. */
  isFirst(name) {
    const { id, carrier_code } = this.props.method;
    return name === (id ? 'method_label' : carrier_code ? 'method_code' : 'carrier_code');
  }

  /** The user may have changed whether a field is inherited. That is not saved yet. */
  isInherited(name) {
    const { madeOwn, madeInherited } = this.state;
    return madeInherited.includes(name) || (this.before.inherited?.includes(name) && !madeOwn.includes(name));
  }

  setInherited = (name, isInherited) => {
    const { isOn: wasOn, ...lists } = this.state;
    const isOn = name === 'is_active' ? (this.defaultMethod?.is_active ?? wasOn) : wasOn;
    const [to, from] = isInherited ? ['madeInherited', 'madeOwn'] : ['madeOwn', 'madeInherited'];
    const without = (list) => list.filter((each) => each !== name);
    this.setState({ isOn, [to]: [...without(lists[to]), name], [from]: without(lists[from]) }, () => {
      const field = document.querySelector(`#field-${name}`);
      field?.focus();
      field?.select?.();
    });
  };

  /** Only changed fields are sent. The other fields keep the values that somebody else may have saved meanwhile. */
  changes(form) {
    const typed = Object.fromEntries(new FormData(form));
    // A method that takes an "off" from its default is on itself.
    if (this.state.madeInherited.includes('is_active') && this.isDefaultOff()) typed.is_active = 'on';
    const shown = Object.keys(fields).filter((name) => name in typed || name === 'is_active');
    const values = shown.map((name) => [name, (fields[name].read ?? String)(typed[name])]);
    const details = values.find(([name, value]) => name === 'meta' && value instanceof Object);
    if (details && !typed.meta.startsWith('{')) details[1] = this.asNamed(details[1]);
    return Object.fromEntries(values.filter(([name, value]) => !same(value, this.before[name] ?? null)));
  }

  /** Other methods show `max_weight` as "max weight". A user who types that means the same. */
  asNamed(meta) {
    const all = [...this.props.methods, this.before].flatMap((method) => Object.keys(method.meta));
    // Later pairs count: the names of this method, and then each name for itself.
    const known = new Map([...all.map((name) => [words(name), name]), ...all.map((name) => [name, name])]);
    const nameOf = (name) => (Object.hasOwn(meta, known.get(name)) ? name : (known.get(name) ?? name));
    return Object.fromEntries(Object.entries(meta).map(([name, value]) => [nameOf(name), value]));
  }

  /** If this user may not read the default, the method tells whether it is off. */
  isDefaultOff({ own, is_active } = this.before) {
    return this.defaultMethod ? !this.defaultMethod.is_active : own?.is_active && !is_active;
  }

  /** A method that inherits its switch cannot be on while its default is off. */
  isForced() {
    return this.state.isOn && this.isInherited('is_active') && this.isDefaultOff();
  }

  /** Returns which fields are inherited after the change, if the user has changed that. */
  useDefault(current) {
    const { madeOwn, madeInherited } = this.state;
    const isForced = this.isForced();
    if (madeOwn.length + madeInherited.length === 0 && !isForced) return {};
    const own = isForced ? [...madeOwn, 'is_active'] : madeOwn;
    const kept = inheritedFieldsOf(current.use_default).filter((name) => !own.includes(name));
    return { use_default: useDefaultOf([...kept, ...madeInherited]) };
  }

  /** With other codes, a method has another default, or none. It then keeps the values that customers see. */
  shownValues(changes, current) {
    const { madeInherited } = this.state;
    const inherited = [...inheritedFieldsOf(current.use_default), ...madeInherited];
    if (inherited.length === 0 || !Object.keys(changes).some((name) => codes.has(name))) return {};
    const shown = (name) => (madeInherited.includes(name) ? this.inheritedValue(name) : undefined) ?? current[name];
    return { ...Object.fromEntries(inherited.map((name) => [name, shown(name)])), ...changes, use_default: false };
  }

  save = (event) => {
    event.preventDefault();
    // While it saves, the fields are disabled, and have no values. The keys get to it from Cancel.
    if (this.state.isSaving) return;
    const changes = this.changes(event.currentTarget);
    const isChanged = Object.keys({ ...changes, ...this.useDefault(this.before) }).length > 0;
    // Without a request, Undo still takes back what the user has done before.
    return this.before.id && !isChanged && !this.state.problem ? closeDialog() : this.send(changes, this.before);
  };
  /** This is no submit button, because Enter would press it. */
  saveAndAdd = ({ currentTarget }) => this.send(this.changes(currentTarget.form), this.before, true);

  async send(changes, current, isAnother) {
    const dialog = document.querySelector('dialog');
    const { afterSave, add } = this.props;
    this.wasUnclear ||= this.state.problem?.isUnclear;
    clearErrors();
    // In a conflict, the two versions stay until one of them is saved.
    this.setState({ isSaving: true, ...(current !== this.state.other && { problem: undefined, violations: [] }) });
    try {
      const all = { ...changes, ...this.useDefault(current), ...this.shownValues(changes, current) };
      const saved = await (current.id ? api.update(current, all) : this.create({ ...requestOf(current), ...all }));
      const { carrier_code, carrier_label, method_label: label, sort_order } = saved;
      const isLeft = !dialog.open;
      dialog.close();
      if (isAnother && !isLeft) add({ carrier_code, carrier_label }, sort_order);
      await afterSave(t('saved', { label }), current, saved);
    } catch (problem) {
      // The list may be old.
      if (problem.isUnclear || problem.status === 404 || problem.status === 412) void afterSave();
      if (dialog.open) await this.explain(problem, changes, current);
      else notify(api.failureOf(problem), { isError: true });
    }
  }

  /** An equal method is the one that was saved when nobody knew it. */
  create(request) {
    return api.create(request).catch(async (problem) => {
      const equal = this.wasUnclear && problem.identical && (await api.find(problem.existing_id));
      if (equal) return equal;
      throw problem;
    });
  }

  /**
   * Shows why nothing was saved. If the method has changed meanwhile, or another method has the codes, the form shows the
   * other values, and the user decides.
   */
  async explain(problem, changes, current) {
    const id = problem.code === 'version_mismatch' ? current.id : problem.existing_id;
    const other = id && (await api.find(id).catch(() => undefined));
    const find = (selector) => document.querySelector(`dialog ${selector}`);
    const focus = () => (find('[aria-invalid]') ?? find('[role=alert]')).focus();
    const errors = problem.existing_id ? takenCodes : (problem.errors ?? []);
    const violations = errors.map((violation) => readable(violation, { ...this.before, ...changes }));
    const hasCodes = this.state.hasCodes || violations.some(({ name }) => codes.has(name));
    this.setState({ isSaving: false, problem, changes, other, violations, hasCodes }, focus);
  }

  /** A known carrier has a code and a name already. Nobody means another carrier by "FedEx" than by "fedex". */
  follow = ({ target }) => {
    if (target.name === 'is_active') this.setState({ isOn: target.checked });
    if (target.name !== 'carrier_code') return;
    const code = target.value.trim().toLowerCase();
    const known = this.props.methods.find(({ carrier_code }) => carrier_code.toLowerCase() === code);
    const label = target.form.elements.carrier_label;
    if (known) target.value = known.carrier_code;
    if (label?.value === '') label.value = known?.carrier_label ?? '';
  };

  componentDidMount() {
    addEventListener('beforeunload', this.leave);
  }

  componentWillUnmount() {
    removeEventListener('beforeunload', this.leave);
  }

  /** The browser asks before it opens another page. */
  leave = (event) => (this.state.isSaving || this.isChanged()) && event.preventDefault();

  isChanged({ madeOwn, madeInherited } = this.state) {
    const typed = this.changes(document.querySelector('dialog form'));
    return madeOwn.length + madeInherited.length + Object.keys(typed).length > 0;
  }

  /** Cancel, Escape and Remove ask before they throw away what the user has typed. */
  mayLeave = () => this.state.isSaving || !this.isChanged() || confirm(t('discard_question'));
  cancel = () => {
    if (!this.mayLeave()) return;
    // The request cannot be taken back.
    if (this.state.isSaving) notify(t('saving'), { isBusy: true });
    closeDialog();
  };

  render({ method, remove, onClose }, { problem, other, isSaving, hasCodes, violations }) {
    const title = method.id ? t('edit_title', { label: method.method_label }) : t('add');
    // While the user decides between two versions, the fields would show a third one.
    const isConflict = problem && other && !problem.existing_id;
    const isAtFields =
      problem?.code === 'validation_failed' && violations.length > 0 && violations.every(({ name }) => fields[name]);
    const askToRemove = () => {
      if (!this.mayLeave()) return;
      closeDialog();
      remove(method);
    };
    // What is left is to create it again.
    const isGone = problem?.code === 'method_not_found';
    return html`
      <${Dialog} title=${title} onClose=${onClose} cancel=${this.cancel}>
        <form onSubmit=${this.save} onChange=${this.follow} onKeyDown=${saveByKey} noValidate>
          <fieldset class="fields" hidden=${isConflict} disabled=${isSaving}>
            ${isDefaults && html`<p class="hint wide">${t('shared_project')}</p>`}
            ${!hasCodes && this.codes()} ${this.note()}
            ${method.id && hasCodes && inheritedFieldsOf(method.use_default).length > 0 && html`<p class="hint wide">${t('codes_hint')}</p>`}
            ${(hasCodes ? withCodes : withoutCodes).map(this.field)}
            ${this.props.places.has(method.id) && this.place()} ${this.field('meta')} ${this.input('is_active')}
          </fieldset>
          <footer hidden=${isConflict}>
            <button hidden=${isGone} disabled=${isSaving}>${t(isSaving ? 'saving' : 'save')}</button>
            ${!method.id && html`<button type="button" class="outline" disabled=${isSaving} onClick=${this.saveAndAdd}>${t('save_another')}</button>`}
            <button type="button" class="secondary outline" onClick=${this.cancel}>${t('cancel')}</button>
            ${method.id && !isGone && html`<button type="button" class="quiet danger" disabled=${isSaving} onClick=${askToRemove}>${t('remove_method')}</button>`}
          </footer>
          ${problem && !isAtFields && this.error()}
        </form>
      <//>`;
  }

  codes({ carrier_code, method_code } = this.before) {
    const open = () => this.setState({ hasCodes: true }, () => document.querySelector('#field-carrier_code').focus());
    return html`
      <div class="row wide">
        <small dir="ltr"><bdi>${carrier_code}</bdi> / <bdi>${method_code}</bdi></small>
        <button type="button" class="quiet" onClick=${open}>${t('change_codes')}</button>
        ${this.defaultMethod && html`<a class="quiet" href=${addressOf(this.defaultMethod)}>${t('edit_default')}</a>`}
      </div>`;
  }

  /** Explains a default that is switched off or gone. */
  note({ problem } = this.marks) {
    if (!problem) return null;
    const inherited = inheritedFieldsOf(this.before.use_default);
    const keep = () => this.setState({ madeOwn: inherited });
    const mayKeep = problem === 'default_gone' && this.state.madeOwn.length < inherited.length;
    return html`
      <div class="hint bar wide">
        <p>${t(`${problem}_hint`)}</p>
        ${mayKeep && html`<button type="button" class="quiet" onClick=${keep}>${t('keep_values')}</button>`}
      </div>`;
  }

  field = (name) => (this.isInherited(name) ? this.inheritedField(name) : this.input(name));

  /** Without the codes, the name has no field beside it. */
  isWide = (name) => name === 'meta' || name === 'is_active' || (name === 'method_label' && !this.state.hasCodes);

  input(name) {
    const { read: _, ...described } = fields[name];
    const isToggle = name === 'is_active';
    const value = (this.state.madeOwn.includes(name) ? this.inheritedValue(name) : undefined) ?? this.before[name];
    const texts = this.state.violations.filter((violation) => violation.name === name).map(({ text }) => text);
    return html`
      <${Field} key=${name} name=${name} isWide=${this.isWide(name)} autofocus=${this.isFirst(name)} label=${t(name)} hint=${t(`${name}_hint`)} violations=${texts}
        defaultValue=${name === 'meta' ? linesOf(value) : value} checked=${isToggle && this.state.isOn} ...${described}>
        ${isToggle && this.isInherited(name) ? this.inheritedNote(this.switchNote()) : this.wayBack(name)}
      <//>`;
  }

  /** Returns undefined if this user may not read the default. A field that inherits now shows its value. */
  inheritedValue(name) {
    return this.before.inherited?.includes(name) ? this.before[name] : this.defaultMethod?.[name];
  }

  /** The button says what comes back, if this user may read the defaults project. */
  wayBack(name) {
    if (!this.marks.own.includes(name) && !this.before.inherited?.includes(name)) return null;
    const value = this.inheritedValue(name);
    const text =
      name === 'sort_order' || value === undefined
        ? t('use_shared')
        : t('use_shared_value', { value: name === 'is_active' ? onOrOff(value) : asText(value) });
    return html`
      <small class="mark">${t('is_own')}</small>
      <button type="button" class="quiet" aria-label="${t(name)}: ${text}" onClick=${() => this.setInherited(name, true)}>↺ ${text}</button>`;
  }

  inheritedNote(text = 'is_shared') {
    return html`<small class="mark">${t(text)}</small>`;
  }

  /** Says whose decision the position of the switch is. */
  switchNote({ isOn, madeInherited } = this.state) {
    if (isOn) return this.isForced() ? 'is_own' : 'is_shared';
    const wasOffHere = this.marks.own.includes('is_active') && !madeInherited.includes('is_active');
    return wasOffHere || !this.isDefaultOff() ? 'is_off_here' : 'is_shared';
  }

  inheritedField(name) {
    const value = this.inheritedValue(name);
    const change = () => this.setInherited(name, false);
    return html`
      <div class=${this.isWide(name) ? 'field wide' : 'field'} key=${name}>
        <div class="bar">
          <span>${t(name)}</span> ${this.inheritedNote()}
          <button type="button" class="quiet" id="field-${name}" autofocus=${this.isFirst(name)} aria-label="${t(name)}: ${t('change_here')}" onClick=${change}>
            ${t('change_here')}
          </button>
        </div>
        ${name === 'meta' && !same(value ?? {}, {}) ? html`<${Pairs} of=${value} />` : html`<p dir="auto">${asText(value ?? '')}</p>`}
      </div>`;
  }

  place() {
    const { method, methods, places } = this.props;
    return html`
      <div class="field" key="sort_order">
        <div class="bar">
          <span>${t('sort_order')}</span>
          ${this.isInherited('sort_order') ? this.inheritedNote() : this.wayBack('sort_order')}
        </div>
        <p>${t('place', { place: places.get(method.id), count: methods.length })}</p>
      </div>`;
  }

  error({ problem, violations, changes, other } = this.state) {
    const createAgain = () => this.send(changes, { ...this.before, id: undefined });
    return html`
      <div class="alert" role="alert" tabindex="-1">
        <h3>${problem.message}</h3>
        ${problem.isUnclear && html`<p>${t('save_again')}</p>`}
        ${violations.map(({ name, text }) => !fields[name] && html`<p key=${text}>${text}</p>`)}
        ${problem.status === 401 && html`<${SignIn} target="_blank" />`}
        ${problem.code === 'method_not_found' && html`<button type="button" onClick=${createAgain}>${t('create_again')}</button>`}
        ${other && (problem.existing_id ? this.opener(t('open_other')) : this.comparison())}
      </div>`;
  }

  comparison({ other, changes, isSaving } = this.state) {
    const { method } = this.props;
    const yours = { ...changes, ...this.useDefault(method) };
    return html`
      <${Comparison} names=${names} was=${method} is=${other} yours=${yours} />
      <p>${t('conflict_hint')}</p>
      <div class="row">
        <button type="button" disabled=${isSaving} onClick=${() => this.send(changes, other)}>${t('keep_changes')}</button>
        ${this.opener(t('discard_changes'))}
      </div>`;
  }

  opener(label) {
    const open = () => this.props.open(this.state.other);
    return html`<button type="button" class="secondary outline" onClick=${open}>${label}</button>`;
  }
}
