import * as api from './api.js';
import { closeDialog, Component, Dialog, Field, html, asText, notify, formValues } from './view.js';

const toggle = { type: 'checkbox', role: 'switch', read: (value) => value !== undefined };

/**
 * The fields, in the order of the form. `read` turns the typed text into the value that is sent. The API checks the
 * value.
 */
const fields = {
  carrier_code: { label: 'Carrier code', hint: 'The code that the carrier’s API uses, such as ups.', list: 'carriers' },
  carrier_label: {
    label: 'Carrier label',
    hint: 'Customers read it. If it is empty, they read the code.',
    read: (value) => value.trim() || null,
  },
  method_code: { label: 'Method code', hint: 'The code that the carrier’s API uses, such as 03.' },
  method_label: { label: 'Method label', hint: 'Customers read it, such as UPS Ground.' },
  sort_order: { label: 'Sort order', hint: 'A whole number. The lowest comes first.', read: jsonOrText },
  meta: { label: 'Details', hint: 'Write each detail on a line, such as days: 5', tag: 'textarea', rows: 3, read: metaOf },
  is_active: { label: 'Active', hint: 'Customers can choose it.', ...toggle },
  use_default: {
    label: 'Use the default values',
    hint: 'Labels, sort order and details come from the project “default”, if it has a method with these codes. Your values stay stored.',
    ...toggle,
  },
};
const names = Object.keys(fields);
const newMethod = { carrier_code: '', method_code: '', method_label: '', is_active: true, meta: {}, use_default: false };
export const labelsOf = (inherited) => inherited.map((name) => fields[name].label.toLowerCase()).join(', ');

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const storedIn = (method) => ({ ...newMethod, ...method, ...method.own });

function jsonOrText(value) {
  try {
    return JSON.parse(value);
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
  const pairs = written.map((line) => line.split(/: *(.*)/));
  return Object.fromEntries(pairs.map(([name, value]) => [name, jsonOrText(value)]));
}

/**
 * Turns a fault, which the API describes for programs, into a text for the operator. The text has the label of the
 * field, and a shorter rule for codes.
 */
function readable({ pointer = '', code, detail }) {
  const name = pointer.split('/')[1];
  const rule = 'Use letters, digits, spaces and _ ( ) + - . / : @, with no space at the beginning or end.';
  const isCode = code === 'format' && name?.endsWith('_code');
  if (pointer === '/meta' && code === 'type') return { name, text: 'Write a name, a colon and a value on each line.' };
  return { name, text: isCode ? rule : detail.replace(name, fields[name]?.label ?? name) };
}

const titles = {
  validation_failed: 'Some fields need your attention.',
  duplicate_method: 'Another method of this project has these two codes.',
  method_not_found: 'Somebody removed this method while you edited it.',
  version_mismatch: 'Somebody changed this method while you edited it.',
};

export class MethodForm extends Component {
  state = { faults: [] };
  before = storedIn(this.props.method);

  save = async (event, current) => {
    const texts = formValues(event);
    const values = names.map((name) => [name, fields[name].read ? fields[name].read(texts[name]) : texts[name]]);
    // Only changed fields are sent. The other fields keep the values that somebody else may have saved meanwhile.
    const changes = Object.fromEntries(values.filter(([name, value]) => !same(value, this.before[name] ?? null)));
    this.setState({ isSaving: true });
    try {
      const saved = await (current.id ? api.update(current, changes) : api.create({ ...this.before, ...changes }));
      const covered = labelsOf(saved.inherited.filter((name) => name in changes));
      closeDialog();
      await this.props.saved();
      notify(
        `“${saved.method_label}” is saved.${covered && ` The list shows the values of the project “default” for: ${covered}.`}`,
      );
    } catch (problem) {
      // The method has changed meanwhile, or another method has the codes. The form shows the other values, and the
      // operator decides.
      const id = problem.code === 'version_mismatch' ? current.id : problem.existing_id;
      const other = id && (await api.find(id).catch(() => undefined));
      const find = (selector) => document.querySelector(`dialog ${selector}`);
      const focus = () => (find('[aria-invalid]') ?? find('[role=alert]')).focus();
      this.setState({ isSaving: false, problem, changes, other, faults: problem.errors.map(readable) }, focus);
    }
  };

  render({ method, onClose }, { problem, faults, isSaving }) {
    const field = (name) => {
      const { read: _, ...described } = fields[name];
      const value = name === 'meta' ? linesOf(this.before.meta) : this.before[name];
      const texts = faults.filter((fault) => fault.name === name).map(({ text }) => text);
      return html`
        <${Field} key=${name} name=${name} faults=${texts} defaultValue=${value} defaultChecked=${value} ...${described}>
          ${name === 'use_default' && method.inherited?.length > 0 && html`<p class="alone">${this.alone()}</p>`}
          ${method.inherited?.includes(name) && html`<p class="inherited">Inherited and shown: <b>${asText(method[name])}</b></p>`}
        <//>`;
    };
    return html`
      <${Dialog} title=${method.id ? `Edit “${method.method_label}”` : 'Add a method'} onClose=${onClose}>
        <form onSubmit=${(event) => this.save(event, method)} noValidate>
          ${problem && this.refusal()}
          <div class="fields">${names.map(field)}</div>
          <footer>
            <button type="button" class="secondary" onClick=${closeDialog}>Cancel</button>
            <button disabled=${isSaving}>Save</button>
          </footer>
        </form>
      <//>`;
  }

  alone({ method } = this.props, name = (each) => `${labelsOf([each])}: ${asText(method.own[each]) || 'empty'}`) {
    return `Without the default values, customers see the values of this method:  ${method.inherited.map(name).join(', ')}.`;
  }

  refusal({ problem, faults, other } = this.state) {
    return html`
      <div class="alert" role="alert" tabindex="-1">
        <h3>${titles[problem.code] ?? problem.message}</h3>
        ${faults.map(({ name, text }) => !fields[name] && html`<p key=${text}>${text}</p>`)}
        ${other && (problem.existing_id ? this.opener('Open that method', 'Open that method? What you have typed here is lost.') : this.comparison())}
      </div>`;
  }

  opener(label, question) {
    const open = () => (!question || confirm(question)) && this.props.open(this.state.other);
    return html`<button type="button" class="secondary" onClick=${open}>${label}</button>`;
  }

  comparison({ other, changes } = this.state) {
    const { method } = this.props;
    const row = (name) => {
      // If the shown values are equal, the stored values may still differ. Then the row compares the stored values.
      const [was, is] = same(method[name], other[name]) ? [this.before, storedIn(other)] : [method, other];
      if (same(was[name], is[name])) return null;
      return html`
        <tr key=${name}>
          <th scope="row">${fields[name].label}</th>
          <td>${asText(was[name])}</td>
          <td><b>${asText(is[name])}</b></td>
          <td>${name in changes ? asText(changes[name]) : 'no change'}</td>
        </tr>`;
    };
    return html`
      <table>
        <thead><tr><th>Field</th><th>When you opened it</th><th>Now</th><th>Your change</th></tr></thead>
        <tbody>${names.map(row)}</tbody>
      </table>
      <p>If you keep your changes, the fields that you changed are saved. The other fields stay as they are now.</p>
      <div class="row">
        <button type="button" onClick=${(event) => this.save(event, other)}>Keep my changes</button>
        ${this.opener('Discard my changes')}
      </div>`;
  }
}
