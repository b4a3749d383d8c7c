import { t } from './settings.js';
import { Component, html, Pairs } from './view.js';

/** How many rows are rendered at once. A thousand rows would block the page for too long. */
const rowsAtOnce = 100;
const steps = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };

/** Shows methods in the order of the checkout. A place is always the place among all methods. */
export class MethodList extends Component {
  /** With other filters, the list begins again with the first rows. */
  static getDerivedStateFromProps({ filters }, state) {
    return filters === state.filters ? null : { filters, limit: rowsAtOnce };
  }

  componentDidMount() {
    this.grow();
  }

  componentWillUnmount() {
    cancelAnimationFrame(this.frame);
  }

  getSnapshotBeforeUpdate() {
    const element = document.activeElement;
    const row = element.closest('.methods > li');
    const rows = row?.parentNode.children;
    return row && { element, rows, index: [...rows].indexOf(row) };
  }

  /** The focus stays where it was. If its row has left the list, the next row gets it. */
  componentDidUpdate(_props, _state, focus) {
    this.grow();
    if (!focus || focus.element === document.activeElement) return;
    // The list of rows is live.
    const { element, rows, index } = focus;
    const next = rows[Math.min(index, rows.length - 1)]?.querySelector('.name');
    (element.isConnected ? element : (next ?? document.querySelector('#methods'))).focus();
  }

  /** Adds rows after each frame until all of them are there. */
  grow() {
    cancelAnimationFrame(this.frame);
    const { limit } = this.state;
    if (limit < this.props.methods.length) this.frame = requestAnimationFrame(() => this.setState({ limit: limit + rowsAtOnce }));
  }

  /** On a handle, the arrow keys move the method past the next one that is shown. Elsewhere they lead to the next row. */
  keyed = (event) => {
    const row = event.target.closest('li');
    if (event.key === 'Escape' && this.state.dragged) event.target.releasePointerCapture(this.pointer);
    const by = steps[event.key];
    if (!by || !row) return;
    event.preventDefault();
    const { move } = this.props;
    const { id } = row.dataset;
    const rows = [...row.parentNode.children];
    const next = Math.max(0, Math.min(rows.indexOf(row) + by, rows.length - 1));
    const isHandle = event.target.matches('.handle');
    if (isHandle && Math.abs(by) > 1) move(id, () => by);
    else if (isHandle) move(id, () => this.placeBeside(id, by), true);
    else rows[next].querySelector(event.target.matches('.name') ? '.name' : '[role=switch]').focus();
  };
  /** A method that is not shown any more, or not followed by another one, has no place beside it. */
  placeBeside(id, by) {
    const { methods, places } = this.props;
    const index = methods.findIndex((method) => method.id === id);
    return index === -1 ? undefined : places.get(methods[index + by]?.id);
  }

  /** The pointer may be a mouse, a pen or a finger. Above the list it means the first row, and below it the last one. */
  grab = ({ currentTarget, pointerId, button }) => {
    this.isDragged = false;
    this.pointer = pointerId;
    if (button === 0) currentTarget.setPointerCapture(pointerId);
  };
  drag = ({ currentTarget, pointerId, clientX, clientY }) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const { children: rows } = currentTarget.closest('.methods');
    const [first, last] = [rows[0], rows[rows.length - 1]];
    // The header covers the upper rows.
    const { bottom } = document.querySelector('header').getBoundingClientRect();
    const row =
      (clientY < first.getBoundingClientRect().top && first) ||
      (clientY > last.getBoundingClientRect().bottom && last) ||
      document.elementFromPoint(clientX, Math.max(clientY, bottom + 1))?.closest('.methods > li');
    this.isDragged ||= row !== currentTarget.closest('li');
    // The rows have a scroll margin, so the list scrolls when the pointer comes near its edge.
    if (this.isDragged) row?.scrollIntoView({ block: 'nearest' });
    const target = row?.dataset.id;
    if (target !== this.state.target) this.setState({ target, dragged: currentTarget.closest('li').dataset.id });
  };
  release = () => this.setState({ target: undefined, dragged: undefined });
  drop = (id) => {
    const { target } = this.state;
    if (target !== undefined) this.props.move(id, () => this.props.places.get(target));
  };
  /** A click offers the same to people who cannot drag. The end of a drag is a click, too. Enter is a click without a detail. */
  open = ({ detail }, id) => {
    if (detail === 0 || !this.isDragged) this.props.askToMove(id);
  };

  render({ methods, marks, places, kept, toggle, edit }, { limit, target, dragged }) {
    const lookOf = (id) => (id === dragged ? 'dragged' : id === target && 'target');
    const row = (method) => {
      const { text, problem } = marks.get(method.id);
      const mark = [problem && t(problem), text].filter(Boolean).join(' · ');
      const values = { method, mark, problem, place: places.get(method.id), isKept: kept.has(method.id) };
      return html`<${Row} key=${method.id} ...${values} look=${lookOf(method.id)} list=${this} ...${{ toggle, edit }} />`;
    };
    return html`<ol class="methods" onKeyDown=${this.keyed}>${methods.slice(0, limit).map(row)}</ol>`;
  }
}

/** A row is rendered again only if what it shows has changed. The etag stands for the values of the method. */
class Row extends Component {
  keep = (element) => (this.element = element);

  shouldComponentUpdate(next) {
    const shown = ({ method, mark, place, look }) => [method.etag, mark, place, look].join();
    return shown(next) !== shown(this.props);
  }

  /** Leads to a method that the user has added. */
  componentDidMount() {
    if (!this.props.isKept) return;
    this.flash();
    if (!document.activeElement.closest('form, li')) this.element.querySelector('.name').focus();
  }

  componentDidUpdate({ method }) {
    if (method.etag !== this.props.method.etag) this.flash();
  }

  /** Shows which method has changed. */
  flash() {
    const frame = (color) => ({ boxShadow: `inset 0 0 0 2px ${color}` });
    this.element.animate([frame('var(--ring)'), frame('transparent')], 1_500);
  }

  render({ method, mark, problem, place, look, list, toggle, edit }) {
    const { id, method_label: label, carrier_label, carrier_code, meta, is_active } = method;
    // If it was not saved, the method has not changed, but the switch has.
    const turn = ({ currentTarget }) => toggle(id, currentTarget.checked).then(() => this.forceUpdate());
    return html`
      <li ref=${this.keep} class=${look} data-id=${id}>
        <button class="handle quiet" aria-label=${t('move', { label })} title=${t('move_hint')} aria-haspopup="dialog"
          onClick=${(event) => list.open(event, id)} onPointerDown=${list.grab} onPointerMove=${list.drag}
          onPointerUp=${() => list.drop(id)} onLostPointerCapture=${list.release}>⠿</button>
        <small class="place">${place}</small>
        <button class="name quiet" dir="auto" onClick=${() => edit(id)}>${label}</button>
        <span class="carrier" dir="auto">${carrier_label ?? carrier_code}</span>
        <${Pairs} of=${meta} />
        <small class=${problem ? 'mark problem' : 'mark'}>${mark}</small>
        <input type="checkbox" role="switch" aria-label=${t('active_of', { label })} checked=${is_active} onChange=${turn} />
      </li>`;
  }
}
