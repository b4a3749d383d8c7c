import * as api from './api.js';
import { Field, html, Pairs, Section, sentence, notify, formValues } from './view.js';

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const { timeZone } = time.resolvedOptions();
const rule = 'Use only letters, digits and _ . : - and at most 64 of them. Write 1001, not #1001.';
/** Replaces the API's text about the order id, which has a pattern, by a rule in words. */
const inWords = (problem) => Object.assign(problem, problem.errors.length > 0 && { message: rule });

/** The history of one order, which is read in pages, and the form that places an order. */
export class OrderHistory extends Section {
  state = { order: '1001', newestFirst: true, type: '', noteKey: api.newKey(), faults: [], offered: [] };

  /** Reads the first page, or, with a cursor, the page after the events that are shown. */
  read = async ({ order, newestFirst, type, cursor, kinds, events: shown } = this.state) => {
    const query = { limit: 100, newestFirst, ...(type && { types: type }), ...(cursor && { cursor }) };
    const [{ events, next }, known] = await Promise.all([api.events(order, query), kinds ?? api.eventTypes()]).catch((problem) =>
      Promise.reject(inWords(problem)),
    );
    return { events: cursor ? [...shown, ...events] : events, next, cursor: undefined, kinds: known };
  };
  show = (changes) => this.setState({ events: undefined, cursor: undefined, ...changes }, this.load);
  follow = (order) => this.show({ order, type: '', faults: [] });
  loadMore = () => this.setState({ cursor: this.state.next }, this.load);

  /** Loads the methods that a customer would see: the active ones, in the order of the list. */
  offer = async ({ currentTarget }) => {
    if (!currentTarget.open) return;
    this.setState({ placeKey: api.newKey() });
    const { data } = await api.list({ per_page: 100, 'filter[is_active]': true }).catch(() => ({ data: [] }));
    this.setState({ offered: data });
  };

  place = async (event) => {
    const form = event.currentTarget;
    const { order_id, chosen } = formValues(event);
    const { carrier_code, method_code } = this.state.offered[chosen];
    const placed = await api.placeOrder({ order_id, carrier_code, method_code }, this.state.placeKey).catch(inWords);
    if (placed instanceof Error) return this.setState({ faults: [placed.message] });
    form.reset();
    form.closest('details').open = false;
    notify(`The order ${order_id} is placed. You see its history now.`);
    this.follow(order_id);
  };

  note = async (event) => {
    const form = event.currentTarget;
    const { order, noteKey } = this.state;
    const added = await api.addNote(order, formValues(event), noteKey).catch((problem) => problem);
    if (added instanceof Error) return notify(`The note is not saved. ${added.message}`);
    form.reset();
    notify('The note is saved.');
    this.show({ type: '', noteKey: api.newKey() });
  };

  render(_props, { order, events, problem, faults, offered }) {
    const option = ({ carrier_label, carrier_code, method_label }, index) =>
      html`<option key=${index} value=${index}>${carrier_label ?? carrier_code}: ${method_label}</option>`;
    return html`
      <section aria-labelledby="history">
        <h2 id="history">History of an order</h2>
        <form class="row" onSubmit=${(event) => this.follow(formValues(event).order.trim())}>
          <label>Order number <input key=${order} name="order" defaultValue=${order} required maxlength="64" /></label>
          <button class="outline">Show</button>
        </form>
        <details onToggle=${this.offer}>
          <summary role="button" class="outline">Place an order</summary>
          <form onSubmit=${this.place} noValidate>
            <${Field} name="order_id" label="Number of the new order" hint="A number that no order has yet, such as 2001." faults=${faults} />
            <label>Shipping method <select name="chosen">${offered.map(option)}</select></label>
            <button disabled=${offered.length === 0}>Place the order</button>
          </form>
        </details>
        ${(problem || !events) && this.waiting()}
        ${this.state.kinds && this.controls()}
        ${events && this.list()}
      </section>`;
  }

  controls({ order, type, newestFirst, kinds, events = [] } = this.state) {
    const all = new Set([...kinds, ...events.map((event) => event.type), ...(type ? [type] : [])]);
    const option = (kind) => html`<option key=${kind} value=${kind}>${sentence(kind)}</option>`;
    return html`
      <form class="row" key=${order} onSubmit=${this.note}>
        <label>Note <input name="message" required maxlength="1000" autocomplete="off" /></label>
        <button class="outline">Add the note</button>
      </form>
      <div class="row">
        <select aria-label="Kind of event" value=${type} onChange=${({ currentTarget }) => this.show({ type: currentTarget.value })}>
          <option value="">All kinds</option> ${[...all].map(option)}
        </select>
        <label>
          <input type="checkbox" role="switch" checked=${newestFirst} onChange=${() => this.show({ newestFirst: !newestFirst })} />
          Newest first
        </label>
      </div>`;
  }

  list({ order, type, events, next } = this.state) {
    const none = type ? 'no events of this kind.' : 'no events. Check the number, or place the order.';
    if (events.length === 0) return html`<p class="state">The order ${order} has ${none}</p>`;
    return html`
      <small>Events of the order ${order}: ${events.length}${next && ' and more'}, times in ${timeZone}</small>
      <ol>${events.map((event) => html`<${Event} key=${event.id} ...${event} />`)}</ol>
      ${next && html`<button class="outline" onClick=${this.loadMore}>Load more</button>`}`;
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
