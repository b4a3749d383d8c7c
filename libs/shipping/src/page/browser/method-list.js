import { inheritedBy, labelsOf } from './method.js';
import { t } from './settings.js';
import { Component, html, Pairs } from './view.js';

/** How many rows are rendered at once. A thousand rows would block the page for too long. */
const step = 100;
const steps = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity };

/** Shows methods in the order of the checkout. They can be moved if no filter hides any of them. */
export class MethodList extends Component {
  /** With other filters, the list begins again with the first rows. */
  static getDerivedStateFromProps({ filters }, state) {
    return filters === state.filters ? null : { filters, limit: step };
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
    (element.isConnected ? element : (next ?? document.querySelector('[name=q]'))).focus();
  }

  /** Adds rows after each frame until all of them are there. */
  grow() {
    cancelAnimationFrame(this.frame);
    const { limit } = this.state;
    if (limit < this.props.methods.length) this.frame = requestAnimationFrame(() => this.setState({ limit: limit + step }));
  }

  keyed = (event, id) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.props.move(id, steps[event.key]);
  };

  /** The pointer may be a mouse, a pen or a finger. If it is not released over another row, nothing moves. */
  grab = ({ currentTarget, pointerId, button }) => {
    this.isDragged = false;
    if (button === 0) currentTarget.setPointerCapture(pointerId);
  };
  drag = ({ currentTarget, pointerId, clientX, clientY }) => {
    if (!currentTarget.hasPointerCapture(pointerId)) return;
    const row = document.elementFromPoint(clientX, clientY)?.closest('.methods > li');
    this.isDragged ||= row !== currentTarget.closest('li');
    // The rows have a scroll margin, so the list scrolls when the pointer comes near its edge.
    row?.scrollIntoView({ block: 'nearest' });
    const target = row?.dataset.id;
    if (target !== this.state.target) this.setState({ target });
  };
  release = () => this.setState({ target: undefined });
  drop = (id) => {
    const { target } = this.state;
    const { methods, move } = this.props;
    const indexOf = (wanted) => methods.findIndex((method) => method.id === wanted);
    if (target !== undefined && target !== id) move(id, indexOf(target) - indexOf(id));
  };
  /** A click offers the same to people who cannot drag. The end of a drag is a click, too. Enter is a click without a detail. */
  open = ({ detail }, id) => {
    if (detail === 0 || !this.isDragged) this.props.askToMove(id);
  };

  render({ methods, marks, canMove, toggle, edit }, { limit, target }) {
    const row = (method) => {
      const { own, problem } = marks.get(method.id);
      const fields = inheritedBy(method).length > 0 ? t('own', { fields: labelsOf(own) }) : t('is_own');
      const mark = [problem && t(problem), own.length > 0 && fields].filter(Boolean).join(' · ');
      const values = { method, mark, problem, canMove };
      return html`<${Row} key=${method.id} ...${values} isTarget=${target === method.id} list=${this} ...${{ toggle, edit }} />`;
    };
    return html`<ol class="methods">${methods.slice(0, limit).map(row)}</ol>`;
  }
}

/** A row is rendered again only if what it shows has changed. The etag stands for the values of the method. */
class Row extends Component {
  shouldComponentUpdate(next) {
    const shown = ({ method, mark, canMove, isTarget }) => [method.etag, mark, canMove, isTarget].join();
    return shown(next) !== shown(this.props);
  }

  render({ method, mark, problem, canMove, isTarget, list, toggle, edit }) {
    const { id, method_label: label, carrier_label, carrier_code, meta, is_active } = method;
    // If it was not saved, the method has not changed, but the switch has.
    const turn = ({ currentTarget }) => toggle(id, currentTarget.checked).then(() => this.forceUpdate());
    return html`
      <li class=${isTarget && 'target'} data-id=${id}>
        <button class="handle quiet" aria-label=${t('move', { label })} aria-haspopup="dialog" hidden=${!canMove}
          onClick=${(event) => list.open(event, id)} onKeyDown=${(event) => list.keyed(event, id)} onPointerDown=${list.grab}
          onPointerMove=${list.drag} onPointerUp=${() => list.drop(id)} onLostPointerCapture=${list.release}>⠿</button>
        <button class="name quiet" dir="auto" onClick=${() => edit(id)}>${label}</button>
        <span class="carrier" dir="auto">${carrier_label ?? carrier_code}</span>
        <${Pairs} of=${meta} />
        <small class=${problem ? 'mark problem' : 'mark'}>${mark}</small>
        <input type="checkbox" role="switch" aria-label=${t('active_of', { label })} checked=${is_active} onChange=${turn} />
      </li>`;
  }
}
