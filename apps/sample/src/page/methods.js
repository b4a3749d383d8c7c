import * as api from './api.js';
import { MethodForm } from './method-form.js';
import { MethodTable } from './method-table.js';
import { closeDialog, Component, Dialog, html, tell, Waiting } from './view.js';

const perPage = 25;
const search = 'Search labels and codes';
const conflict = 'Somebody else changed this meanwhile, so nothing more was saved. The list now shows it as it is.';
const noRoom = 'A sort order from the project “default” leaves no room: edit it, and switch off “Use the default values”.';

/**
 * The moved method gets the first number that is free after the one above it, and those below give way. An inherited
 * number is fixed. @returns undefined when it leaves no room
 */
function numbered(methods, moved) {
  const isFixed = ({ inherited }) => inherited.includes('sort_order');
  const room = methods.map((method, index) => (isFixed(method) ? method.sort_order - index : Infinity));
  let least = Math.min(...methods.map(({ sort_order }) => sort_order), ...room);
  const numbers = methods.map((method, index) => {
    const isFree = !isFixed(method) && (index === 0 || method === moved);
    const number = isFree ? least : Math.max(least, method.sort_order);
    least = number + 1;
    return number;
  });
  return methods.some((method, index) => isFixed(method) && method.sort_order !== numbers[index]) ? undefined : numbers;
}

export class Methods extends Component {
  state = { page: 1 };
  moves = Promise.resolve();

  load = api.reader(this, async () => {
    const filters = [...new FormData(this.form)].filter(([, value]) => value !== '');
    const query = { page: this.state.page, per_page: perPage, ...Object.fromEntries(filters) };
    const [tree, found] = await Promise.all([api.tree(), api.list(query)]);
    return { tree, found, isFiltered: filters.length > 0 };
  });
  componentDidMount() {
    this.load();
  }

  turnTo = (page) => this.setState({ page }, this.load);
  filter = (event) => {
    event.preventDefault();
    this.turnTo(1);
  };
  showAll = () => {
    this.form.reset();
    this.turnTo(1);
  };

  /** Tells how a write went, and shows what is there now. */
  async write(writing, success) {
    const failure = ({ code, message }) => (code === 'version_mismatch' ? conflict : `This was not saved. ${message}`);
    tell(await writing.then(() => success, failure));
    await this.load();
  }

  toggle = (method) => {
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

  /** @param place gives the wanted index. Keys are faster than answers: moves queue */
  move = (id, place) => (this.moves = this.moves.then(() => this.moveNow(id, place)));

  async moveNow(id, place) {
    const { tree } = this.state;
    const carrier = tree.find(({ methods }) => methods.some((method) => method.id === id));
    if (!carrier) return;
    const from = carrier.methods.findIndex((method) => method.id === id);
    const to = Math.max(0, Math.min(place(from, carrier.methods), carrier.methods.length - 1));
    if (to === from) return;
    const moved = carrier.methods[from];
    const methods = carrier.methods.toSpliced(from, 1).toSpliced(to, 0, moved);
    const numbers = numbered(methods, moved);
    if (!numbers) return tell(`“${moved.method_label}” stays where it is. ${noRoom}`);
    const focus = () => document.querySelector(`[data-id="${id}"] .handle`)?.focus();
    this.setState({ tree: tree.with(tree.indexOf(carrier), { ...carrier, methods }) }, focus);
    const save = async () => {
      for (const [index, method] of methods.entries())
        if (method.sort_order !== numbers[index]) await api.update(method, { sort_order: numbers[index] });
    };
    const position = `${to + 1} of ${methods.length} at ${carrier.carrier_label}`;
    await this.write(save(), `“${moved.method_label}” is now ${position}.`);
  }

  edit = (editing) => this.setState({ editing });
  /** A new method comes last. */
  add = () => {
    const orders = this.state.tree.flatMap(({ methods }) => methods.map(({ sort_order }) => sort_order));
    this.edit({ sort_order: Math.max(0, ...orders) + 10 });
  };

  render(_props, { tree, problem, editing, removing }) {
    const option = ({ carrier_code: code, carrier_label }) => html`<option key=${code} value=${code}>${carrier_label}</option>`;
    const searchBox = { name: 'q', type: 'search', maxlength: 100, 'aria-label': search, placeholder: search };
    const form = { method: editing, open: this.edit, saved: this.load, onClose: () => this.edit(undefined) };
    return html`
      <section aria-labelledby="methods">
        <div class="bar">
          <h2 id="methods" tabindex="-1">Shipping methods</h2>
          <button disabled=${!tree} onClick=${this.add}>Add a method</button>
        </div>
        <form class="row" ref=${(element) => (this.form = element)} onInput=${this.filter} onSubmit=${this.filter}>
          <input ...${searchBox} />
          <select name="filter[carrier_code]" aria-label="Carrier">
            <option value="">All carriers</option>
            ${tree?.map(option)}
          </select>
          <select name="filter[is_active]" aria-label="Activity">
            <option value="">Active or not</option>
            <option value="true">Active</option>
            <option value="false">Inactive</option>
          </select>
        </form>
        ${(problem || !tree) && html`<${Waiting} what="the methods" problem=${problem} />`}
        ${tree && this.page()}
        ${editing && html`<${MethodForm} key="${editing.id} ${editing.etag}" ...${form} />`}
        ${removing && this.removal(removing)}
      </section>`;
  }

  page({ tree, found, isFiltered } = this.state) {
    const { page, total_pages: pages } = found.meta;
    if (found.data.length === 0) {
      return html`
        <div class="state">
          <h3>${isFiltered ? 'No method matches' : `“${api.projectId}” has no shipping methods yet`}</h3>
          <button class="outline" hidden=${!isFiltered} onClick=${this.showAll}>Show all methods</button>
        </div>`;
    }
    const shown = new Set(found.data.map(({ id }) => id));
    const { toggle, edit, move } = this;
    const remove = (removing) => this.setState({ removing });
    return html`
      <${MethodTable} ...${{ tree, shown, isFiltered, toggle, edit, move, remove }} />
      <nav aria-label="Pages" hidden=${pages <= 1}>
        <button class="outline" disabled=${page <= 1} onClick=${() => this.turnTo(page - 1)}>Previous</button>
        Page ${page} of ${pages}
        <button class="outline" disabled=${page >= pages} onClick=${() => this.turnTo(page + 1)}>Next</button>
      </nav>`;
  }

  removal(method) {
    const { method_label, is_active, isUsed } = method;
    const deactivate = () => {
      closeDialog();
      this.toggle(method);
    };
    const text = isUsed
      ? 'Orders were placed with this method, so it cannot be removed. You can make it inactive: its orders keep it.'
      : 'Customers can no longer choose it, and it cannot be brought back. To pause it, make it inactive instead.';
    const remove = html`<button class="danger" onClick=${() => this.remove(method)}>Remove</button>`;
    return html`
      <${Dialog} title=${isUsed ? `“${method_label}” is in use` : `Remove “${method_label}”?`}
        onClose=${() => this.setState({ removing: undefined })}>
        <p>${text}</p>
        <footer>
          <button class="secondary" onClick=${closeDialog}>Keep it</button>
          ${isUsed ? is_active && html`<button onClick=${deactivate}>Make it inactive</button>` : remove}
        </footer>
      <//>`;
  }
}
