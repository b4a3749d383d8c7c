import * as api from './api.js';
import { t } from './settings.js';
import { closeDialog, Component, Dialog, Field, html, asText, notify, formValues } from './view.js';

const toggle = { type: 'checkbox', role: 'switch', read: (value) => value !== undefined };

/**
 * The fields, in the order of the form. `read` turns the typed text into the value that is sent. The API checks the
 * value.
 */
const fields = {
  carrier_code: { list: 'carriers' },
  carrier_label: { read: (value) => value.trim() || null },
  method_code: {},
  method_label: {},
  sort_order: { read: jsonOrText },
  meta: { tag: 'textarea', rows: 3, read: metaOf },
  is_active: toggle,
  use_default: toggle,
};
const names = Object.keys(fields);
const newMethod = { carrier_code: '', method_code: '', method_label: '', is_active: true, meta: {}, use_default: false };
export const labelsOf = (inherited) => inherited.map((name) => t(name)).join(', ');

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const storedIn = (method) => ({ ...method, ...method.own });

function jsonOrText(value) {
  try {
    const read = JSON.parse(value);
    return typeof read === 'number' && String(read) !== value.trim() ? value : read;
  } catch {
    return value;
  }
}

/**
 * Returns `meta` as lines of `name: value`. A text that would be read as other JSON keeps its quotes. If lines
 * cannot show the value exactly, the whole value is shown as JSON.
 */
function linesOf(meta) {
  const textOf = (value) => (typeof value === 'string' && same(jsonOrText(value), value) ? value : JSON.stringify(value));
  const lines = Object.entries(meta)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join('\n');
  return same(metaOf(lines), meta) ? lines : JSON.stringify(meta);
}
function metaOf(lines) {
  if (lines.startsWith('{')) return jsonOrText(lines);
  const written = lines.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  if (!written.every((line) => /^[^:]*[^\s:][^:]*:/.test(line))) return lines;
  const pairs = written.map((line) => line.trim().split(/ *: *(.*)/));
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) return lines;
  return Object.fromEntries(pairs.map(([name, value]) => [name, jsonOrText(value)]));
}

/**
 * Turns a violation, which the API describes for programs, into a text for the user. The text has the label of the
 * field, and a shorter rule for codes that names the character.
 */
function readable(violation) {
  const { pointer, code, detail } = { pointer: '', detail: '', ...violation };
  const name = String(pointer).split('/')[1];
  const field = t(name) ?? name;
  const isCode = code === 'format' && name?.endsWith('_code');
  const isMeta = code === 'type' && pointer === '/meta';
  const kind = (isCode && 'code_format') || (isMeta && 'meta_type') || code;
  const inWords = String(detail).replace(name, field);
  const [, character, position] = /(U\+\w+) at position (\d+)/.exec(detail) ?? [];
  return { name, text: t(`violation_${kind}`, { field, detail: inWords, character, position }) ?? inWords };
}

export class MethodForm extends Component {
  state = { violations: [] };
  // The switch is on if the method inherits any field. If the user leaves it alone, it is not sent, and the fields stay.
  before = { ...newMethod, ...this.props.method, use_default: Boolean(this.props.method.use_default) };

  save = async (event, current) => {
    const dialog = event.currentTarget.closest('dialog');
    const texts = formValues(event);
    const values = names.map((name) => [name, (fields[name].read ?? String)(texts[name])]);
    // Only changed fields are sent. The other fields keep the values that somebody else may have saved meanwhile.
    const changes = Object.fromEntries(values.filter(([name, value]) => !same(value, this.before[name] ?? null)));
    this.setState({ isSaving: true });
    try {
      const saved = await (current.id ? api.update(current, changes) : api.create({ ...this.before, ...changes }));
      const covered = labelsOf(saved.inherited.filter((name) => name in changes && !same(saved[name], changes[name])));
      const shown = covered && ` ${t('saved_covered', { fields: covered })}`;
      dialog.close();
      await this.props.saved();
      notify(t('saved', { label: saved.method_label }) + shown);
    } catch (problem) {
      // The list may be old.
      if (problem.isUnclear || problem.status === 404 || problem.status === 412) void this.props.saved();
      if (!dialog.open) return notify(api.failureOf(problem));
      // The method has changed meanwhile, or another method has the codes. The form shows the other values, and the
      // user decides.
      const id = problem.code === 'version_mismatch' ? current.id : problem.existing_id;
      const other = id && (await api.find(id).catch(() => undefined));
      const find = (selector) => document.querySelector(`dialog ${selector}`);
      const focus = () => (find('[aria-invalid]') ?? find('[role=alert]')).focus();
      this.setState({ isSaving: false, problem, changes, other, violations: (problem.errors ?? []).map(readable) }, focus);
    }
  };

  render({ method, onClose }, { problem, violations, isSaving }) {
    const { inherited = [] } = method;
    const field = (name) => {
      const { read: _, ...described } = fields[name];
      const value = name === 'meta' ? linesOf(this.before.meta) : this.before[name];
      const texts = violations.filter((violation) => violation.name === name).map(({ text }) => text);
      return html`
        <${Field} key=${name} name=${name} label=${t(name)} hint=${t(`${name}_hint`)} violations=${texts}
          defaultValue=${value} defaultChecked=${value} ...${described}>
          ${inherited.includes(name) && html`<p class="inherited">${t('inherited_value')}</p>`}
        <//>`;
    };
    return html`
      <${Dialog} title=${method.id ? t('edit_title', { label: method.method_label }) : t('add')} onClose=${onClose}>
        <form onSubmit=${(event) => this.save(event, method)} noValidate>
          ${problem && this.error()}
          <div class="fields">${names.map(field)}</div>
          <footer>
            <button type="button" class="secondary" onClick=${closeDialog}>${t('cancel')}</button>
            <button disabled=${isSaving}>${t('save')}</button>
          </footer>
        </form>
      <//>`;
  }

  error({ problem, violations, other } = this.state) {
    return html`
      <div class="alert" role="alert" tabindex="-1">
        <h3>${problem.message}</h3>
        ${violations.map(({ name, text }) => !fields[name] && html`<p key=${text}>${text}</p>`)}
        ${other && (problem.existing_id ? this.opener(t('open_other')) : this.comparison())}
      </div>`;
  }

  opener(label) {
    const open = () => this.props.open(this.state.other);
    return html`<button type="button" class="secondary" onClick=${open}>${label}</button>`;
  }

  comparison({ other, changes } = this.state) {
    const { method } = this.props;
    const row = (name) => {
      // If the shown values are equal, the stored values may still differ. Then the row compares the stored values.
      const [was, is] = same(method[name], other[name]) ? [method, other].map(storedIn) : [method, other];
      if (same(was[name], is[name])) return null;
      return html`
        <tr key=${name}>
          <th scope="row">${t(name)}</th>
          <td>${asText(was[name])}</td>
          <td><b>${asText(is[name])}</b></td>
          <td>${name in changes ? asText(changes[name]) : t('no_change')}</td>
        </tr>`;
    };
    return html`
      <table>
        <thead>
          <tr><th>${t('field')}</th><th>${t('when_opened')}</th><th>${t('now')}</th><th>${t('your_change')}</th></tr>
        </thead>
        <tbody>${names.map(row)}</tbody>
      </table>
      <p>${t('conflict_hint')}</p>
      <div class="row">
        <button type="button" onClick=${(event) => this.save(event, other)}>${t('keep_changes')}</button>
        ${this.opener(t('discard_changes'))}
      </div>`;
  }
}
