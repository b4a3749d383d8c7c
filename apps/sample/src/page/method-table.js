import { labelsOf } from './method-form.js';
import { Component, html, Pairs } from './view.js';

const places = { ArrowUp: (from) => from - 1, ArrowDown: (from) => from + 1, Home: () => 0, End: () => Infinity };
const hint =
  'Drag ⠿ to move a method at its carrier, or focus it and press ↑ or ↓. The carrier with the lowest number comes first.';

/** Carrier by carrier, the methods whose id is in `shown`. They can be moved when none is hidden by a filter. */
export class MethodTable extends Component {
  keyed = (event, { id }) => {
    const place = places[event.key];
    if (!place) return;
    event.preventDefault();
    this.props.move(id, place);
  };

  /** The pointer may be a mouse, a pen or a finger. It is released over a row of the same carrier, or nothing moves. */
  grab = ({ currentTarget, pointerId }, { id }) => {
    currentTarget.setPointerCapture(pointerId);
    this.setState({ dragged: id });
  };
  drag = ({ currentTarget, clientX, clientY }) => {
    const row = document.elementFromPoint(clientX, clientY)?.closest('tr');
    const isNear = this.state.dragged && currentTarget.closest('tbody').contains(row);
    this.setState({ target: isNear ? row.dataset.id : undefined });
  };
  drop = () => {
    const { dragged, target } = this.state;
    this.setState({ dragged: undefined, target: undefined });
    if (target) this.props.move(dragged, (_from, methods) => methods.findIndex(({ id }) => id === target));
  };

  render({ tree, shown, isFiltered }) {
    const carriers = tree.map((carrier) => ({ ...carrier, rows: carrier.methods.filter(({ id }) => shown.has(id)) }));
    return html`
      <small>${isFiltered ? 'Show all methods to move them.' : hint}</small>
      <table class="methods">
        <thead>
          <tr><th></th><th>Method</th><th>Details</th><th>Sort</th><th>Active</th><th></th></tr>
        </thead>
        ${carriers.filter(({ rows }) => rows.length > 0).map(this.carrier)}
      </table>`;
  }

  carrier = ({ carrier_code, carrier_label, methods, rows }) => html`
    <tbody key=${carrier_code}>
      <tr><th scope="rowgroup" colspan="6"><h3>${carrier_label} <code>${carrier_code}</code></h3></th></tr>
      ${rows.map((method) => this.row(method, `${methods.indexOf(method) + 1} of ${methods.length}`))}
    </tbody>`;

  row(method, place) {
    const { id, method_label: label, method_code, sort_order, meta, is_active, inherited } = method;
    const { isFiltered, toggle, edit, remove } = this.props;
    const state = { [this.state.target]: 'target', [this.state.dragged]: 'dragged' }[id];
    const activity = { type: 'checkbox', role: 'switch', 'aria-label': `Active: ${label}` };
    const handle = html`
      <button class="handle quiet" aria-label="Move ${label}, ${place}, with the arrow keys"
        onKeyDown=${(event) => this.keyed(event, method)} onPointerDown=${(event) => this.grab(event, method)}
        onPointerMove=${this.drag} onPointerUp=${this.drop} onPointerCancel=${this.drop}>⠿</button>`;
    return html`
      <tr key=${id} class=${state} data-id=${id} data-inherited=${inherited.join(' ')}>
        <td>${!isFiltered && handle}</td>
        <td>
          <strong>${label}</strong> <code>${method_code}</code>
          ${inherited.length > 0 && html`<p class="inherited">↳ from project “default”: ${labelsOf(inherited)}</p>`}
        </td>
        <td><${Pairs} of=${meta} /></td>
        <td>${sort_order}</td>
        <td><input ...${activity} checked=${is_active} onChange=${() => toggle(method)} /></td>
        <td>
          <button class="quiet" aria-label="Edit ${label}" onClick=${() => edit(method)}>Edit</button>
          <button class="quiet danger" aria-label="Remove ${label}" onClick=${() => remove(method)}>Remove</button>
        </td>
      </tr>`;
  }
}
