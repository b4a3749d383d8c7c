import * as api from './api.js';
import { Field, html, Pairs, Section, sentence, tell, typed } from './view.js';

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const { timeZone } = time.resolvedOptions();
const rule = 'Use letters, digits and _ . : - only, 64 at most. Leave out other signs: write 1001 for #1001.';
/** The API names a field and a pattern. */
const inWords = (problem) => Object.assign(problem, problem.errors.length > 0 && { message: rule });

/** The history of one order, and the order desk. */
export class OrderHistory extends Section {
  state = { order: '1001', faults: [], offered: [] };
  read = async () => ({ events: await api.events(this.state.order).catch((problem) => Promise.reject(inWords(problem))) });
  follow = (order) => this.setState({ order, events: undefined, faults: [] }, this.load);

  /** What a customer would see: the active methods in the order of the list. */
  offer = async () => {
    const { data } = await api.list({ per_page: 100, 'filter[is_active]': true }).catch(() => ({ data: [] }));
    this.setState({ offered: data });
  };

  place = async (event) => {
    const { order_id, chosen } = typed(event);
    const { carrier_code, method_code } = this.state.offered[chosen];
    const placed = await api.placeOrder({ order_id, carrier_code, method_code }).catch(inWords);
    if (placed instanceof Error) return this.setState({ faults: [placed.message] });
    tell(`The order ${order_id} is placed. Its history begins.`);
    this.follow(order_id);
  };

  render(_props, { order, events, problem, faults, offered }) {
    const option = ({ carrier_label, carrier_code, method_label }, index) =>
      html`<option key=${index} value=${index}>${carrier_label ?? carrier_code}: ${method_label}</option>`;
    return html`
      <section aria-labelledby="history">
        <h2 id="history">History of an order</h2>
        <form class="row" onSubmit=${(event) => this.follow(typed(event).order.trim())}>
          <label>Order number <input key=${order} name="order" defaultValue=${order} required maxlength="64" /></label>
          <button class="outline">Show</button>
        </form>
        <details onToggle=${this.offer}>
          <summary role="button" class="outline">Place an order</summary>
          <form onSubmit=${this.place} noValidate>
            <${Field} name="order_id" label="Number of the new order" hint="A new one, such as 2001." faults=${faults} />
            <label>Shipping method <select name="chosen">${offered.map(option)}</select></label>
            <button disabled=${offered.length === 0}>Place the order</button>
          </form>
        </details>
        ${(problem || !events) && this.waiting()}
        ${events?.length === 0 && html`<p class="state">The order ${order} has no events. Look at its number, or place it.</p>`}
        ${
          events?.length > 0 &&
          html`
          <small>Events of the order ${order}: ${events.length}, times in ${timeZone}</small>
          <ol>${events.map((event) => html`<${Event} key=${event.id} ...${event} />`)}</ol>`
        }
      </section>`;
  }
}

const Event = ({ type, actor, message, data, occurred_at }) => html`
  <li>
    <h3>${sentence(type)} <code>${type}</code></h3>
    <small>
      <time dateTime=${occurred_at}>${time.format(new Date(occurred_at))}</time>
      ${actor && ` · ${actor.label ?? actor.id ?? 'Automatic'} (${actor.type})`}
    </small>
    ${message && html`<p>${message}</p>`}
    <${Pairs} of=${data} />
  </li>`;
