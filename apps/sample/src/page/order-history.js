import { reader } from './api.js';
import { Component, Field, html, Loading, Outage, Pairs, sentence } from './view.js';

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const { timeZone } = time.resolvedOptions();
const newOrderId = () => String(Date.now()).slice(-8, -1);

/** The history of one order, and the order desk. */
export class OrderHistory extends Component {
  state = { newId: newOrderId(), errors: [], offered: [] };

  load = reader(
    async () => ({ events: await this.props.project.events(this.props.order), of: this.props.order }),
    (result) => (result.problem?.isRefused ? this.props.refuse(result.problem) : this.setState(result)),
  );

  /** The desk offers what a customer would see: the active methods in the order of the list. */
  loadOffered = async () => {
    const query = { per_page: 100, 'filter[is_active]': true };
    const { data } = await this.props.project.list(query).catch(() => ({ data: [] }));
    this.setState({ offered: data });
  };

  componentDidMount() {
    this.load();
    this.loadOffered();
  }
  componentWillUnmount() {
    this.load.stop();
  }
  componentDidUpdate({ order }) {
    if (order !== this.props.order) this.load();
  }

  follow = (event) => {
    event.preventDefault();
    const order = new FormData(event.currentTarget).get('order').trim();
    if (order === this.props.order) this.load();
    else this.props.onOrder(order);
  };

  place = async (event) => {
    event.preventDefault();
    const { new_order, chosen } = Object.fromEntries(new FormData(event.currentTarget));
    const [carrier_code, method_code] = JSON.parse(chosen);
    try {
      await this.props.project.placeOrder({ order_id: new_order, carrier_code, method_code });
      this.props.tell(`The order ${new_order} is placed. Its history begins.`);
      this.setState({ errors: [], newId: newOrderId() });
      this.props.onOrder(new_order);
    } catch ({ message, code }) {
      const rule = 'Use letters, digits and _ . : - only, 64 at most, and begin with a letter, a digit or _.';
      this.setState({ errors: [{ detail: code === 'validation_failed' ? rule : message }] });
      this.loadOffered();
    }
  };

  render({ order }, { events, of, problem, newId, errors, offered }) {
    const isShown = events && of === order && (!problem || events.length > 0);
    const timeline = () => html`
      <p class="hint">${events.length} ${events.length === 1 ? 'event' : 'events'} of the order ${order}, times in ${timeZone}</p>
      <ol class="timeline">${events.map((event) => html`<${Event} key=${event.id} ...${event} />`)}</ol>`;
    return html`<section class="history" aria-labelledby="history">
      <h2 id="history">History of an order</h2>
      <form class="row" onSubmit=${this.follow}>
        <label>Order number <input key=${order} name="order" defaultValue=${order} required maxlength="64" spellcheck=${false} autocomplete="off" /></label>
        <button class="outline">Show</button>
      </form>
      <details><summary role="button" class="outline">Place an order</summary>
      <form class="desk" onSubmit=${this.place} noValidate>
        <${Field} name="new_order" label="Number of the new order" value=${newId} faults=${errors}
          onInput=${(event) => this.setState({ newId: event.target.value })} />
        <label>Shipping method
          <select name="chosen" onFocus=${this.loadOffered}>
            ${offered.map((method) => html`<option key=${method.id} value=${JSON.stringify([method.carrier_code, method.method_code])}>${method.carrier_label ?? method.carrier_code}: ${method.method_label}</option>`)}
          </select>
        </label>
        <button disabled=${offered.length === 0}>Place the order</button>
      </form></details>
      ${problem && html`<${Outage} problem=${problem} retry=${this.load} />`}
      ${!isShown && !problem && html`<${Loading} what="the history" />`}
      ${isShown && events.length === 0 && html`<div class="state"><h3>The order ${order} has no events</h3><p>Look at its number, or place an order above.</p></div>`}
      ${isShown && events.length > 0 && timeline()}
    </section>`;
  }
}

function Event({ type, message, data, actor, occurred_at }) {
  return html`<li class=${type.split('.')[0]}>
    <h3>${sentence(type)} <code>${type}</code></h3>
    <p class="hint"><time dateTime=${occurred_at} title=${occurred_at}>${time.format(new Date(occurred_at))}</time>
      ${actor && html` · <span class="actor">${actor.label ?? actor.id ?? 'Automatic'} (${actor.type})</span>`}</p>
    ${message && html`<p>${message}</p>`}
    <${Pairs} of=${data} />
  </li>`;
}
