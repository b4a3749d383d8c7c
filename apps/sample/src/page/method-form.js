import { Component, Dialog, faultsAt, Field, html, said } from './view.js';

const labels = {
  carrier_code: 'Carrier code',
  carrier_label: 'Carrier label',
  method_code: 'Method code',
  method_label: 'Method label',
  sort_order: 'Order',
  is_active: 'Active',
  meta: 'Details',
  use_default: 'Use the default values',
};
const hints = {
  carrier_code: 'As the carrier’s interface spells it, such as ups.',
  carrier_label: 'What customers read. Empty: the code.',
  method_code: 'As the carrier’s interface spells it, such as 03.',
  method_label: 'What customers read, such as UPS Ground.',
  sort_order: 'A whole number. The lowest comes first, among carriers too.',
};
const texts = ['carrier_code', 'carrier_label', 'method_code', 'method_label', 'sort_order'];
const blank = {
  carrier_code: '',
  method_code: '',
  method_label: '',
  sort_order: 0,
  is_active: true,
  meta: {},
  use_default: false,
};
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export const inheritedNames = (fields) => fields.map((field) => labels[field].toLowerCase()).join(', ');

/** Text that looks like other JSON keeps its quotes: `"12"` is not `12`. */
const textOf = (value) => (typeof value === 'string' && same(valueOf(value), value) ? value : JSON.stringify(value));
function valueOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What the inputs show: the stored values, also of the fields that are inherited now. */
function draftOf(method) {
  const { carrier_label, sort_order, meta, ...stored } = { ...blank, ...method, ...method.own };
  const pairs = Object.entries(meta).map(([name, value]) => [name, textOf(value)]);
  const fields = { ...stored, carrier_label: carrier_label ?? '', sort_order: String(sort_order), meta: pairs };
  return Object.fromEntries(Object.keys(labels).map((field) => [field, fields[field]]));
}

/** Nothing is corrected here: the API says what is wrong, and at which field. */
function bodyOf({ carrier_label, sort_order, meta, ...draft }) {
  const number = sort_order.trim();
  const pairs = meta.filter(([name, value]) => name !== '' || value !== '').map(([name, value]) => [name, valueOf(value)]);
  return {
    ...draft,
    carrier_label: carrier_label.trim() || null,
    sort_order: number === '' ? null : /^-?\d+$/.test(number) ? Number(number) : number,
    meta: Object.fromEntries(pairs),
  };
}

/** The API speaks to programs: an operator reads the label of the field, and no pattern. */
function readable(violation) {
  const name = violation.pointer?.slice(1) ?? '';
  const isCode = violation.code === 'format' && name.endsWith('_code');
  const rule = 'Use letters, digits, spaces and _ ( ) + - . / : @, with no space at the beginning or end.';
  return { ...violation, detail: isCode ? rule : violation.detail.replace(name, labels[name] ?? name) };
}

export class MethodForm extends Component {
  state = { base: this.props.method, draft: draftOf(this.props.method), errors: [] };

  set = (change) => this.setState(({ draft }) => ({ draft: { ...draft, ...change } }));
  isDirty = () => !same(this.state.draft, draftOf(this.state.base));
  mayClose = () => !this.isDirty() || confirm('Discard your changes?');
  close = () => this.props.open(undefined);

  submit = (event) => {
    event.preventDefault();
    this.save(this.state.base, this.state.draft);
  };

  async save(base, draft) {
    const { project, tell, saved } = this.props;
    this.setState({ base, draft, isSaving: true, conflict: undefined, problem: undefined, errors: [] });
    try {
      const method = await (base.id ? project.update(base, bodyOf(draft)) : project.create(bodyOf(draft)));
      tell(`“${method.method_label}” is saved.`);
      this.close();
      await saved();
    } catch (problem) {
      // The etag refused it: the operator decides with both versions in view.
      const conflict = problem.code === 'version_mismatch' ? await project.find(base.id).catch(() => undefined) : undefined;
      const errors = problem.errors?.map(readable) ?? [];
      const focus = () => (this.form?.querySelector('[aria-invalid]') ?? this.form?.querySelector('[role=alert]'))?.focus();
      this.setState({ problem, conflict, errors, isSaving: false }, focus);
    }
  }

  /** What I changed stays; the rest becomes what is there now. */
  keepMine = () => {
    const { base, draft, conflict } = this.state;
    const before = draftOf(base);
    const mine = Object.entries(draft).filter(([field, value]) => !same(value, before[field]));
    return this.save(conflict, { ...draftOf(conflict), ...Object.fromEntries(mine) });
  };

  openExisting = async () => {
    const method = await this.props.project.find(this.state.problem.existing_id).catch(() => undefined);
    if (method) this.props.open(method);
  };

  render(_props, { base, draft, errors, problem, conflict, isSaving }) {
    const inherits = (field) => draft.use_default && base.inherited?.includes(field);
    const inherited = (field) =>
      inherits(field) && html`<p class="from">Inherited and shown: <strong>${said(base[field])}</strong></p>`;
    const text = (name) => html`<${Field} key=${name} name=${name} label=${labels[name]} hint=${hints[name]} value=${draft[name]}
      faults=${faultsAt(errors, `/${name}`)} onInput=${(event) => this.set({ [name]: event.target.value })}>${inherited(name)}<//>`;
    const toggle = (name, hint) => html`<div class="field"><label><input type="checkbox" role="switch" checked=${draft[name]}
      onChange=${(event) => this.set({ [name]: event.target.checked })} />${labels[name]}</label><small>${hint}</small></div>`;
    const elsewhere = errors.filter(({ pointer }) => !Object.keys(labels).some((name) => `${pointer}/`.startsWith(`/${name}/`)));
    return html`<${Dialog} title=${base.id ? `Edit “${base.method_label}”` : 'Add a method'} mayClose=${this.mayClose} onClose=${this.close}>
      <form ref=${(form) => (this.form = form)} onSubmit=${this.submit} noValidate>
        ${problem && this.explained(problem, conflict, elsewhere)}
        <div class="fields">${texts.map(text)}
          <div>${toggle('is_active', 'Customers can choose it.')}
          ${toggle('use_default', 'The labels, the order and the details of the project “default” are shown, if it has a method with these two codes. The values in this form stay stored.')}</div>
        </div>
        ${this.details(draft.meta, errors, inherited('meta'))}
        <footer><button type="button" class="secondary" onClick=${() => this.mayClose() && this.close()}>Cancel</button>
          <button aria-busy=${isSaving ? 'true' : null} disabled=${isSaving || Boolean(conflict)}>Save</button></footer>
      </form><//>`;
  }

  details(pairs, errors, inherited) {
    const put = (index, part, text) => this.set({ meta: pairs.map((pair, at) => (at === index ? pair.with(part, text) : pair)) });
    const faults = faultsAt(errors, '/meta');
    const isWrong = (name) => (faultsAt(faults, `/meta/${name}`).length > 0 ? 'true' : null);
    const input = (
      label,
      part,
      index,
    ) => html`<input aria-label="${label} of detail ${index + 1}" placeholder=${label} value=${pairs[index][part]}
      aria-invalid=${isWrong(pairs[index][0])} onInput=${(event) => put(index, part, event.target.value)} />`;
    const pair = (_pair, index) => html`<div class="pair" key=${index}>${input('Name', 0, index)}${input('Value', 1, index)}
      <button type="button" class="quiet" aria-label="Remove detail ${index + 1}" onClick=${() => this.set({ meta: pairs.toSpliced(index, 1) })}>✕</button></div>`;
    return html`<fieldset class="details"><legend>Details</legend>${pairs.map(pair)}
      ${faults.map(({ detail }) => html`<small class="fault" role="alert">${detail}</small>`)}${inherited}
      <button type="button" class="quiet" onClick=${() => this.set({ meta: [...pairs, ['', '']] })}>+ Add a detail</button></fieldset>`;
  }

  explained({ code, message }, conflict, elsewhere) {
    const { base, draft } = this.state;
    if (conflict) {
      const [before, now] = [draftOf(base), draftOf(conflict)];
      const differing = Object.keys(labels).filter(
        (field) => !same(base[field], conflict[field]) || !same(before[field], now[field]),
      );
      // A stored value may change under an inherited one.
      const stored = (form, field) => said(field === 'meta' ? bodyOf(form).meta : form[field]) || '–';
      const shown = (method, field) =>
        same(base[field], conflict[field]) ? stored(draftOf(method), field) : said(method[field]);
      return html`<article class="conflict" role="alert" tabindex="-1"><h3>Somebody changed this method while you edited it</h3>
        <table><thead><tr><th scope="col">Field</th><th scope="col">When you opened it</th><th scope="col">Now</th><th scope="col">Yours</th></tr></thead>
          <tbody>${differing.map(
            (field) => html`<tr key=${field}><th scope="row">${labels[field]}</th><td>${shown(base, field)}</td>
            <td><strong>${shown(conflict, field)}</strong></td><td>${same(draft[field], before[field]) ? 'not changed' : stored(draft, field)}</td></tr>`,
          )}</tbody></table>
        <p>Keep your changes: the fields that you changed are saved, the others stay as they are now.</p>
        <div class="row"><button type="button" onClick=${this.keepMine}>Keep my changes</button>
          <button type="button" class="secondary" onClick=${() => this.props.open({ ...conflict })}>Discard mine, show it as it is now</button></div></article>`;
    }
    if (code === 'duplicate_method')
      return html`<article class="conflict" role="alert" tabindex="-1"><h3>Another method has these codes</h3><p>In one project, each pair of carrier code and method code exists once.</p>
        <button type="button" class="outline" onClick=${this.openExisting}>Open that method</button></article>`;
    const title =
      {
        method_not_found: 'Somebody removed this method meanwhile.',
        version_mismatch: 'Somebody changed or removed this method meanwhile. Close the form, and look at the list.',
        validation_failed: 'Some fields need your attention.',
      }[code] ?? message;
    return html`<article class="conflict" role="alert" tabindex="-1"><p>${title}</p>${elsewhere.map(({ detail }) => html`<p key=${detail}>${detail}</p>`)}</article>`;
  }
}
