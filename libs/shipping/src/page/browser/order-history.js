import * as api from './api.js';
import { language, t } from './settings.js';
import { formValues, html, Pairs, Section, sentence } from './view.js';

const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const { timeZone: zone } = time.resolvedOptions();
/** How many events are shown at first, and how many each click adds. */
const step = 100;

/** The history of one order. The API sends all of it, and this section shows a part. */
export class OrderHistory extends Section {
  state = { order: api.address.get('order') ?? '', newestFirst: true, type: '', limit: step };

  async read({ order } = this.state) {
    if (order === '') return {};
    if (!api.isId(order)) throw Object.assign(new Error(t('invalid_id')), { errors: [] });
    return { events: await api.events(order) };
  }

  follow = (event) => {
    const order = formValues(event).order.trim();
    // The order is in the address, so that the user can load the page again, or send a link to it.
    api.address.set('order', order);
    history.replaceState(null, '', `?${api.address}`);
    this.setState({ order, type: '', limit: step, events: undefined, problem: undefined }, this.load);
  };

  showKind = ({ currentTarget }) => this.setState({ type: currentTarget.value, limit: step });
  turn = () => this.setState(({ newestFirst }) => ({ newestFirst: !newestFirst, limit: step }));
  showMore = () => this.setState(({ limit }) => ({ limit: limit + step }));

  render(_props, { order, events, problem }) {
    return html`
      <section aria-labelledby="history">
        <h2 id="history">${t('history')}</h2>
        <form class="row" onSubmit=${this.follow}>
          <label>
            ${t('order')}
            <input key=${order} name="order" defaultValue=${order} required maxlength="64" autocomplete="off" spellcheck=${false} />
          </label>
          <button class="outline">${t('show')}</button>
        </form>
        ${(problem || (order && !events)) && this.waiting()}
        ${events && this.list()}
      </section>`;
  }

  list({ order, events, type, newestFirst, limit } = this.state) {
    if (events.length === 0) return html`<p class="state">${t('no_events', { order })}</p>`;
    const kinds = [...new Set(events.map((event) => event.type))];
    const ofKind = type ? events.filter((event) => event.type === type) : events;
    const shown = (newestFirst ? ofKind.toReversed() : ofKind).slice(0, limit);
    const option = (kind) => html`<option key=${kind} value=${kind}>${sentence(kind)}</option>`;
    return html`
      <div class="row">
        <select aria-label=${t('kind')} value=${type} onChange=${this.showKind}>
          <option value="">${t('all_kinds')}</option> ${kinds.map(option)}
        </select>
        <label><input type="checkbox" role="switch" checked=${newestFirst} onChange=${this.turn} /> ${t('newest_first')}</label>
      </div>
      <small>${t('event_count', { order, shown: shown.length, count: ofKind.length, zone })}</small>
      <ol>${shown.map((event) => html`<${Event} key=${event.id} ...${event} />`)}</ol>
      ${shown.length < ofKind.length && html`<button class="outline" onClick=${this.showMore}>${t('load_more')}</button>`}`;
  }
}

const Event = ({ type, actor, message, data, occurred_at }) => html`
  <li>
    <h3>${sentence(type)} <code>${type}</code></h3>
    <small>
      <time dateTime=${occurred_at}>${time.format(new Date(occurred_at))}</time>
      ${actor && ` · ${actor.label ?? actor.id ?? t('automatic')} (${actor.type})`}
    </small>
    ${message && html`<p>${message}</p>`}
    <${Pairs} of=${data} />
  </li>`;
