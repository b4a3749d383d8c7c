import { reader } from './api.js';
import { inheritedNames, MethodForm } from './method-form.js';
import { Component, Dialog, html, Loading, Outage, Pairs } from './view.js';

const perPage = 25;
const none = { q: '', carrier: '', active: '', page: 1 };
const hasFixedOrder = ({ inherited }) => inherited.includes('sort_order');

/**
 * Numbers for methods in the order that is wanted: the numbers that they have now, made distinct. An inherited one is
 * fixed, and the others give way. @returns undefined when there is no room between two fixed ones
 */
function numbered(methods) {
  const numbers = methods.map(({ sort_order }) => sort_order).toSorted((a, b) => a - b);
  const given = [];
  for (const [index, method] of methods.entries()) {
    const fixed = methods.findIndex((other, at) => at >= index && hasFixedOrder(other));
    const most = fixed < 0 ? Infinity : methods[fixed].sort_order - (fixed - index);
    const least = index === 0 ? -Infinity : given[index - 1] + 1;
    if (most < least) return undefined;
    given.push(fixed === index ? method.sort_order : Math.max(least, Math.min(numbers[index], most)));
  }
  return given;
}

/** The methods of a project, carrier by carrier. */
export class Methods extends Component {
  state = { query: none };
  moves = Promise.resolve();

  load = reader(
    async () => {
      const { q, carrier, active, page } = this.state.query;
      const wanted = { q, 'filter[carrier_code]': carrier, 'filter[is_active]': active };
      const given = Object.entries(wanted).filter(([, value]) => value !== '');
      const query = { page, per_page: perPage, ...Object.fromEntries(given) };
      const list = given.length > 0 ? this.props.project.list(query) : undefined;
      const [tree, found] = await Promise.all([this.props.project.tree(), list]);
      return { tree, found, page };
    },
    (result) => (result.problem?.isRefused ? this.props.refuse(result.problem) : this.setState(result)),
  );

  componentDidMount() {
    this.load();
  }
  componentWillUnmount() {
    this.load.stop();
  }

  ask = (change) => {
    this.setState(({ query }) => ({ query: { ...query, page: 1, ...change } }));
    clearTimeout(this.typing);
    this.typing = setTimeout(this.load, 150);
  };

  /** Tells how a write went, and shows what is there now. */
  async write(writing, success) {
    const conflict =
      'Somebody else changed this meanwhile, so nothing more was saved. The list now shows it as it is: look, and try again.';
    const text = await writing.then(
      () => success,
      ({ code, message }) => (code === 'version_mismatch' ? conflict : `This was not saved. ${message}`),
    );
    this.props.tell(text);
    await this.load();
  }

  toggle = (method) => {
    const next = method.is_active ? 'inactive: customers can no longer choose it' : 'active: customers can choose it';
    const writing = this.props.project.update(method, { is_active: !method.is_active });
    return this.write(writing, `“${method.method_label}” is now ${next}.`);
  };

  /** @param place gives the wanted index from the one now and the other methods. Keys are faster than answers: moves queue */
  move = (id, place) => (this.moves = this.moves.then(() => this.moveNow(id, place)));

  async moveNow(id, place) {
    const { tree } = this.state;
    const carrier = tree.find(({ methods }) => methods.some((method) => method.id === id));
    if (!carrier) return;
    const from = carrier.methods.findIndex((method) => method.id === id);
    const rest = carrier.methods.toSpliced(from, 1);
    const method = carrier.methods[from];
    const to = Math.max(0, Math.min(place(from, rest), rest.length));
    if (to === from) return;
    const methods = rest.toSpliced(to, 0, method);
    const numbers = hasFixedOrder(method) ? undefined : numbered(methods);
    if (!numbers) {
      const fixed = (hasFixedOrder(method) ? method : methods.find(hasFixedOrder)).method_label;
      this.props.tell(
        `“${fixed}” takes its order from the project “default”, so it keeps its place. To move it, edit it and switch off “Use the default values”.`,
      );
      return;
    }
    this.setState({ tree: tree.map((other) => (other === carrier ? { ...carrier, methods } : other)) }, () =>
      document.querySelector(`[data-id="${id}"] .handle`)?.focus(),
    );
    const save = async () => {
      for (const [index, changed] of methods.entries())
        if (changed.sort_order !== numbers[index]) await this.props.project.update(changed, { sort_order: numbers[index] });
    };
    const done = `“${method.method_label}” is now ${to + 1} of ${methods.length} at ${carrier.carrier_label}. The order is saved.`;
    await this.write(save(), done);
  }

  keyed = (event, { id }) => {
    const place = { ArrowUp: (from) => from - 1, ArrowDown: (from) => from + 1, Home: () => 0, End: () => Infinity }[event.key];
    if (!place) return;
    event.preventDefault();
    this.move(id, place);
  };

  /** The pointer may be a mouse, a pen or a finger. Escape ends without a move. */
  grab = (event, { id }) => {
    const body = event.currentTarget.closest('tbody');
    const ended = new AbortController();
    const on = (type, listener) => addEventListener(type, listener, { signal: ended.signal });
    const end = () => (ended.abort(), this.setState({ drag: undefined }));
    on('pointermove', ({ clientY }) => {
      const rows = [...body.querySelectorAll('[data-id]')].filter((row) => row.dataset.id !== id);
      const below = rows.find((row) => clientY < row.getBoundingClientRect().top + row.offsetHeight / 2);
      this.setState({ drag: { id, before: below?.dataset.id, after: rows.at(-1)?.dataset.id } });
    });
    on('pointerup', () => {
      const { before, after } = this.state.drag ?? {};
      end();
      const indexOf = (rest, wanted) => rest.findIndex((method) => method.id === wanted);
      if (before) this.move(id, (_from, rest) => indexOf(rest, before));
      else if (after) this.move(id, (_from, rest) => indexOf(rest, after) + 1);
    });
    on('pointercancel', end);
    on('keydown', ({ key }) => key === 'Escape' && end());
  };

  remove = async (method) => {
    try {
      await this.props.project.remove(method);
      this.setState({ removing: undefined });
      this.props.tell(`“${method.method_label}” is removed.`);
      document.querySelector('#methods').focus();
    } catch (problem) {
      this.setState({ removing: { method, problem } });
    }
    await this.load();
  };

  render({ projectId, project, tell }, { tree, found, problem, query, editing, removing, drag, page: asked }) {
    const all = tree?.flatMap(({ methods }) => methods) ?? [];
    const pages = found ? found.meta.total_pages : Math.ceil(all.length / perPage);
    const page = Math.min(asked, pages);
    const shown = found ? found.data : all.slice((page - 1) * perPage, page * perPage);
    // A new method comes last.
    const add = () => this.setState({ editing: { sort_order: Math.max(0, ...all.map(({ sort_order }) => sort_order)) + 10 } });
    const ask = (name) => (event) => this.ask({ [name]: event.target.value });
    const open = (method) => this.setState({ editing: method });
    const form = { key: `${editing?.id} ${editing?.etag}`, method: editing, project, tell, saved: this.load, open };
    const noMatch = html`<div class="state"><h3>No method matches</h3><p>Search for another word, or look at all of them.</p>
      <button class="outline" onClick=${() => this.ask(none)}>Show all methods</button></div>`;
    const noMethods = html`<div class="state"><h3>“${projectId}” has no shipping methods yet</h3><p>Add the first one: customers can choose it at once.</p>
      <button onClick=${add}>Add the first method</button></div>`;
    const pager = html`<nav class="row" aria-label="Pages">
      <button class="outline" disabled=${page <= 1} onClick=${() => this.ask({ page: page - 1 })}>Previous</button><span>Page ${page} of ${pages}</span>
      <button class="outline" disabled=${page >= pages} onClick=${() => this.ask({ page: page + 1 })}>Next</button></nav>`;
    return html`<section aria-labelledby="methods">
      <div class="bar"><h2 id="methods" tabindex="-1">Shipping methods</h2><button onClick=${add}>Add a method</button></div>
      <search class="filters">
        <input type="search" aria-label="Search labels and codes" placeholder="Search labels and codes" maxlength="100" value=${query.q} onInput=${ask('q')} />
        <select aria-label="Carrier" value=${query.carrier} onChange=${ask('carrier')}>
          <option value="">All carriers</option>
          ${tree?.map((carrier) => html`<option key=${carrier.carrier_code} value=${carrier.carrier_code}>${carrier.carrier_label}</option>`)}
        </select>
        <select aria-label="Activity" value=${query.active} onChange=${ask('active')}>
          <option value="">Active or not</option><option value="true">Active</option><option value="false">Inactive</option>
        </select>
      </search>
      ${problem && html`<${Outage} problem=${problem} retry=${this.load} />`}
      ${!tree && !problem && html`<${Loading} what="the methods" />`}
      ${tree && shown.length === 0 && (found ? noMatch : noMethods)}
      ${shown.length > 0 && html`<${Table} shown=${shown} tree=${tree} isFound=${Boolean(found)} drag=${drag} of=${this} />`}
      ${pages > 1 && pager}
      ${editing && html`<${MethodForm} ...${form} />`}
      ${removing && html`<${Removal} ...${removing} of=${this} />`}
    </section>`;
  }
}

function Table({ shown, tree, isFound, drag, of }) {
  const tableOf = ([code, methods]) => {
    const carrier = tree.find(({ carrier_code }) => carrier_code === code) ?? { methods };
    const { length } = carrier.methods;
    const active = carrier.methods.filter(({ is_active }) => is_active).length;
    const place = (method) => (isFound ? 0 : 1 + carrier.methods.indexOf(method));
    const row = (method) =>
      html`<${Row} key=${method.id} method=${method} drag=${drag} place=${place(method)} count=${length} of=${of} />`;
    return html`<tbody key=${code}>
      <tr class="carrier"><th scope="rowgroup" colspan="7"><h3>${carrier.carrier_label ?? code} <code>${code}</code></h3>
        <small>${active} of ${length} active</small></th></tr>
      ${methods.map(row)}</tbody>`;
  };
  const moving =
    'Drag ⠿ to move a method at its carrier, or focus it and press ↑ or ↓. The carrier with the lowest order comes first.';
  return html`<p class="hint">${isFound ? 'Show all methods to change their order.' : moving}</p>
    <table class="methods">
      <thead><tr><th scope="col"><span class="hidden">Move</span></th><th scope="col">Method</th><th scope="col">Code</th><th scope="col">Order</th>
        <th scope="col">Details</th><th scope="col">Active</th><th scope="col"><span class="hidden">Actions</span></th></tr></thead>
      ${[...Map.groupBy(shown, ({ carrier_code }) => carrier_code)].map(tableOf)}
    </table>`;
}

function Row({ method, place, count, drag, of }) {
  const { id, method_label, method_code, sort_order, meta, is_active, inherited } = method;
  const isFrom = (field) => (inherited.includes(field) ? 'inherited' : null);
  const dropped =
    drag && { [drag.before]: 'drop-before', ...(!drag.before && { [drag.after]: 'drop-after' }), [drag.id]: 'dragged' }[id];
  const handle = html`<button class="handle quiet" aria-label="Move ${method_label}, ${place} of ${count}, with the arrow keys"
      onPointerDown=${(event) => of.grab(event, method)} onKeyDown=${(event) => of.keyed(event, method)}>⠿</button>`;
  return html`<tr data-id=${id} class=${[dropped, !is_active && 'inactive'].filter(Boolean).join(' ')}>
    <td>${place > 0 && handle}</td>
    <td><strong class=${isFrom('method_label')}>${method_label}</strong>
      ${inherited.length > 0 && html`<small>↳ from project “default”: ${inheritedNames(inherited)}</small>`}</td>
    <td><code>${method_code}</code></td>
    <td><span class=${isFrom('sort_order')}>${sort_order}</span></td>
    <td><div class=${isFrom('meta')}><${Pairs} of=${meta} /></div></td>
    <td><input type="checkbox" role="switch" aria-label="Active: ${method_label}" checked=${is_active} onChange=${() => of.toggle(method)} /></td>
    <td class="actions"><button class="quiet" aria-label="Edit ${method_label}" onClick=${() => of.setState({ editing: method })}>Edit</button>
      <button class="quiet danger" aria-label="Remove ${method_label}" onClick=${() => of.setState({ removing: { method } })}>Remove</button></td>
  </tr>`;
}

function Removal({ method, problem, of }) {
  const close = () => of.setState({ removing: undefined });
  const title = `Remove “${method.method_label}”?`;
  if (problem?.code === 'method_in_use') {
    return html`<${Dialog} title="“${method.method_label}” is in use" onClose=${close}>
      <p>Orders were placed with this method, and their records refer to it. It cannot be removed while they exist.</p>
      <p>Make it inactive instead: customers can no longer choose it, and the orders keep it.</p>
      <footer><button class="secondary" onClick=${close}>Keep it as it is</button>
        ${method.is_active && html`<button onClick=${() => (close(), of.toggle(method))}>Make it inactive</button>`}</footer><//>`;
  }
  return html`<${Dialog} title=${title} onClose=${close}>
    <p>Customers can no longer choose it, and it cannot be brought back. To pause it, make it inactive instead.</p>
    ${problem && html`<p class="fault" role="alert">${problem.code === 'version_mismatch' ? 'Somebody changed it meanwhile. Close this, and look at it again.' : problem.message}</p>`}
    <footer><button class="secondary" onClick=${close}>Keep it</button>
      <button class="danger" onClick=${() => of.remove(method)}>Remove</button></footer><//>`;
}
