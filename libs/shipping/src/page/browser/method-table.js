import { labelsOf } from './method-form.js';
import { t } from './settings.js';
import { Component, html, Pairs } from './view.js';

const steps = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };

/**
 * Shows the methods whose id is in `shown`, in groups by carrier. They can be moved if no filter hides any of them.
 */
export class MethodTable extends Component {
  keyed = (event, method) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.props.move(method, steps[event.key]);
  };

  /**
   * The pointer may be a mouse, a pen or a finger. If it is not released over a row of the same carrier, nothing
   * moves.
   */
  grab = ({ currentTarget, pointerId, button }) => button === 0 && currentTarget.setPointerCapture(pointerId);
  drag = ({ currentTarget, pointerId, clientX, clientY }) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const row = document.elementFromPoint(clientX, clientY)?.closest('[data-id]');
    this.setState({ target: currentTarget.closest('tbody').contains(row) ? row : undefined });
  };
  release = () => this.setState({ target: undefined });
  drop = ({ currentTarget }, method) => {
    const { target } = this.state;
    if (target?.isConnected) this.props.move(method, target.rowIndex - currentTarget.closest('tr').rowIndex);
  };

  render({ tree, total, isFiltered }) {
    const all = tree.flatMap(({ methods }) => methods).length;
    return html`
      <small>${isFiltered ? t('count_filtered', { total, all }) : `${t('count', { all })} ${t('move_hint')}`}</small>
      <table class="methods">
        <thead>
          <tr><td></td><th>${t('method')}</th><th>${t('meta')}</th><th>${t('sort')}</th><th>${t('active')}</th><td></td></tr>
        </thead>
        ${tree.map(this.carrier)}
      </table>`;
  }

  carrier = ({ carrier_code, carrier_label, methods }) => {
    const row = (method, index) =>
      this.props.shown.has(method.id) && this.row(method, { place: index + 1, count: methods.length });
    const heading = html`<tr><th scope="rowgroup" colspan="6"><h3>${carrier_label} <code>${carrier_code}</code></h3></th></tr>`;
    const rows = methods.map(row);
    return rows.some(Boolean) && html`<tbody key=${carrier_code}>${heading}${rows}</tbody>`;
  };

  row(method, place) {
    const { id, method_label: label, method_code, sort_order, meta, is_active, inherited } = method;
    const { isFiltered, toggle, edit, remove } = this.props;
    const isTarget = this.state.target?.dataset.id === id;
    return html`
      <tr key=${id} class=${isTarget && 'target'} data-id=${id} data-inherited=${inherited.join(' ')}>
        <td>
          <button class="handle quiet" aria-label=${t('move', { label, ...place })} hidden=${isFiltered}
            onKeyDown=${(event) => this.keyed(event, method)} onPointerDown=${this.grab} onPointerMove=${this.drag}
            onPointerUp=${(event) => this.drop(event, method)} onLostPointerCapture=${this.release}>⠿</button>
        </td>
        <td>
          <strong>${label}</strong> <code>${method_code}</code>
          ${inherited.length > 0 && html`<p class="inherited">↳ ${t('inherited_fields', { fields: labelsOf(inherited) })}</p>`}
        </td>
        <td><${Pairs} of=${meta} /></td>
        <td data-label=${t('sort')}>${sort_order}</td>
        <td data-label=${t('active')}>
          <input type="checkbox" role="switch" aria-label=${t('active_of', { label })} checked=${is_active}
            onChange=${({ currentTarget }) => toggle(method, currentTarget.checked)} />
        </td>
        <td>
          <button class="quiet" aria-label=${t('edit_of', { label })} onClick=${() => edit(method)}>${t('edit')}</button>
          <button class="quiet danger" aria-label=${t('remove_of', { label })} onClick=${() => remove(method)}>${t('remove')}</button>
        </td>
      </tr>`;
  }
}
