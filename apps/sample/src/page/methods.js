import * as api from './api.js';
import { MethodForm } from './method-form.js';
import { MethodTable } from './method-table.js';
import { closeDialog, Dialog, html, Section, notify, formValues } from './view.js';

const search = 'Search labels and codes';
const conflict = 'Somebody else has changed a method, so nothing more was saved. The list now shows the current values.';
const noRoom =
  'A method here takes its sort order from the project “default”. Edit that method, and switch off “Use the default values”.';
const isFixed = ({ inherited }) => inherited.includes('sort_order');

/**
 * Returns the methods whose sort order changes, with their new numbers. The moved method gets the first number
 * after the method above it. The methods below it get higher numbers, as far as necessary.
 */
function renumbered(methods, moved) {
  let least = Math.min(...methods.map((method, index) => method.sort_order - (isFixed(method) ? index : 0)));
  const numbers = methods.map((method, index) => {
    const isFree = !isFixed(method) && (index === 0 || method === moved);
    const number = isFree ? least : Math.max(least, method.sort_order);
    least = number + 1;
    return [method, number];
  });
  return numbers.filter(([method, number]) => number !== method.sort_order);
}

export class Methods extends Section {
  state = { page: 1, filters: {} };
  moves = Promise.resolve();

  async read({ page, filters } = this.state) {
    const [tree, found] = await Promise.all([api.tree(), api.list({ page, per_page: 25, ...filters })]);
    return { tree, found, isFiltered: Object.keys(filters).length > 0 };
  }

  show = (page, filters) => this.setState({ page, filters }, this.load);
  filter = (event) => this.show(1, Object.fromEntries(Object.entries(formValues(event)).filter(([, value]) => value !== '')));

  /** Tells whether a write has succeeded, and then loads the list again. */
  async write(writing, success) {
    const failure = ({ code, message }) => (code === 'version_mismatch' ? conflict : `This was not saved. ${message}`);
    notify(await writing.then(() => success, failure));
    await this.load();
  }

  toggle = (method) => {
    closeDialog();
    const next = method.is_active ? 'inactive: customers can no longer choose it' : 'active: customers can choose it';
    const writing = api.update(method, { is_active: !method.is_active });
    return this.write(writing, `“${method.method_label}” is now ${next}.`);
  };

  remove = async (method) => {
    const removing = api.remove(method);
    const code = await removing.catch((problem) => problem.code);
    if (code === 'method_in_use') return this.setState({ removing: { ...method, isUsed: true } });
    closeDialog();
    document.querySelector('#methods').focus();
    await this.write(removing, `“${method.method_label}” is removed.`);
  };

  /** A user may press keys faster than the server answers, so moves run one after another. */
  move = ({ id }, steps) => (this.moves = this.moves.then(() => this.moveNow(id, steps)));

  async moveNow(id, steps) {
    const { tree } = this.state;
    const carrier = tree.find(({ methods }) => methods.some((method) => method.id === id));
    if (!carrier) return;
    const from = carrier.methods.findIndex((method) => method.id === id);
    const to = Math.max(0, Math.min(from + steps, carrier.methods.length - 1));
    if (to === from) return;
    const moved = carrier.methods[from];
    const methods = carrier.methods.toSpliced(from, 1).toSpliced(to, 0, moved);
    const numbers = renumbered(methods, moved);
    if (numbers.some(([method]) => isFixed(method))) return notify(`“${moved.method_label}” stays where it is. ${noRoom}`);
    const focus = () => document.querySelector(`[data-id="${id}"] .handle`)?.focus();
    this.setState({ tree: tree.with(tree.indexOf(carrier), { ...carrier, methods }) }, focus);
    const save = async () => {
      for (const [method, sort_order] of numbers) await api.update(method, { sort_order });
    };
    await this.write(save(), `“${moved.method_label}” is now ${to + 1} of ${methods.length} at ${carrier.carrier_label}.`);
  }

  adopt = () => this.write(api.adoptDefaults(), 'This project now has the methods of the project “default”.');
  edit = (editing) => this.setState({ editing });
  askToRemove = (removing) => this.setState({ removing });
  /** A new method comes last. */
  add = () => {
    const orders = this.state.tree.flatMap(({ methods }) => methods.map(({ sort_order }) => sort_order));
    this.edit({ sort_order: Math.max(0, ...orders) + 10 });
  };

  render(_props, { tree, problem, editing, removing }) {
    const option = ({ carrier_code: code, carrier_label }) => html`<option key=${code} value=${code}>${carrier_label}</option>`;
    const form = { method: editing, open: this.edit, saved: this.load, onClose: () => this.edit() };
    return html`
      <section aria-labelledby="methods">
        <div class="bar">
          <h2 id="methods" tabindex="-1">Shipping methods</h2>
          <button disabled=${!tree} onClick=${this.add}>Add a method</button>
        </div>
        <form class="row" id="filters" onInput=${this.filter} onSubmit=${this.filter}>
          <input name="q" type="search" maxlength="100" aria-label=${search} placeholder=${search} />
          <select name="filter[carrier_code]" aria-label="Carrier">
            <option value="">All carriers</option> ${tree?.map(option)}
          </select>
          <select name="filter[is_active]" aria-label="Activity">
            <option value="">Active and inactive</option> <option value="true">Active</option> <option value="false">Inactive</option>
          </select>
        </form>
        ${(problem || !tree) && this.waiting()}
        ${tree && this.page()}
        <datalist id="carriers">${tree?.map(option)}</datalist>
        ${editing && html`<${MethodForm} key="${editing.id} ${editing.etag}" ...${form} />`}
        ${removing && this.removal(removing)}
      </section>`;
  }

  page({ tree, found, filters, isFiltered } = this.state) {
    const { page, total, total_pages: pages } = found.meta;
    const turnTo = (next) => () => this.show(next, filters);
    if (found.data.length === 0) {
      return html`
        <div class="state">
          <h3>${isFiltered ? 'No method matches' : `“${api.projectId}” has no shipping methods yet`}</h3>
          <button type="reset" form="filters" hidden=${!isFiltered} onClick=${() => this.show(1, {})}>Show all methods</button>
          <button hidden=${isFiltered || api.projectId === 'default'} onClick=${this.adopt}>Adopt the defaults</button>
        </div>`;
    }
    const shown = new Set(found.data.map(({ id }) => id));
    const { toggle, edit, move, askToRemove: remove } = this;
    return html`
      <${MethodTable} ...${{ tree, shown, total, isFiltered, toggle, edit, move, remove }} />
      <nav aria-label="Pages" hidden=${pages <= 1}>
        <button class="outline" disabled=${page <= 1} onClick=${turnTo(page - 1)}>Previous</button>
        Page ${page} of ${pages}
        <button class="outline" disabled=${page >= pages} onClick=${turnTo(page + 1)}>Next</button>
      </nav>`;
  }

  removal(method) {
    const { method_label: label, isUsed } = method;
    const used =
      'Orders were placed with this method, so you cannot remove it. You can make it inactive. Its orders then keep it.';
    const final =
      'Customers will no longer be able to choose it, and you cannot bring it back. To pause it, make it inactive instead.';
    const shared =
      api.projectId === 'default' && ' Other projects may take values from it. They will then show their own values.';
    const act = isUsed ? this.toggle : this.remove;
    return html`
      <${Dialog} title=${isUsed ? `“${label}” is in use` : `Remove “${label}”?`} onClose=${() => this.askToRemove()}>
        <p>${isUsed ? used : final}${!isUsed && shared}</p>
        <footer>
          <button class="secondary" onClick=${closeDialog}>Keep it</button>
          <button class=${!isUsed && 'danger'} hidden=${isUsed && !method.is_active} onClick=${() => act(method)}>
            ${isUsed ? 'Make it inactive' : 'Remove'}
          </button>
        </footer>
      <//>`;
  }
}
