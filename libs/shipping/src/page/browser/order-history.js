import { address, isId, putIntoAddress } from './address.js';
import * as api from './api.js';
import { language, plural, t } from './settings.js';
import { html, Pairs, Section, sentence } from './view.js';

const day = new Intl.DateTimeFormat(language, { dateStyle: 'full' });
const time = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
const exactTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const { timeZone: zone } = time.resolvedOptions();
/** How many events are shown at first, and how many each click adds. */
const step = 100;

/** From this number on, neighbours of one kind are folded, because they hide the events around them. */
const longRun = 4;

const hour = 3_600_000;
const unit = (name, count) => new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'long' }).format(count);

/** Your texts may name a type of events. */
const nameOf = (type) => t(type) ?? sentence(type);

/** The history of one order, with the newest event first. The API sends all of it, and this section shows a part. */
export class OrderHistory extends Section {
  heading = 'history';
  state = { kind: address.get('kind'), limit: step };

  async read({ order } = this.props) {
    if (!isId(order)) throw Object.assign(new Error(t('invalid_id')), { errors: [] });
    return { events: await api.events(order) };
  }

  showKind = ({ currentTarget: { value: kind } }) => {
    putIntoAddress({ kind });
    this.setState({ kind, limit: step });
  };
  showMore = () => this.setState(({ limit }) => ({ limit: limit + step }));

  render({ order, close }, { events, problem }) {
    return html`
      <section class="history" aria-labelledby="history">
        <div class="bar">
          <h2 id="history" tabindex="-1" dir="auto">${t('history', { order })}</h2>
          <button class="quiet" onClick=${close}>${t('close')}</button>
        </div>
        ${problem || !events ? this.waiting() : this.list()}
      </section>`;
  }

  list({ order } = this.props, { events, kind, limit } = this.state) {
    if (events.length === 0) return html`<p class="state">${t('no_events', { order })}</p>`;
    const kinds = [...new Set(events.map((event) => event.type))];
    const type = kinds.includes(kind) ? kind : '';
    const ofKind = type ? events.filter((event) => event.type === type) : events;
    const shown = ofKind.toReversed().slice(0, limit);
    const option = (each) => html`<option key=${each} value=${each}>${nameOf(each)}</option>`;
    const days = Map.groupBy(shown, ({ occurred_at }) => day.format(new Date(occurred_at)));
    const older = new Map(shown.map((event, index) => [event, shown[index + 1]]));
    const gapAfter = (event) => !type && older.get(event);
    const item = (event, gap = gapAfter(event)) => html`<${HistoryItem} key=${event.id} event=${event} older=${gap} />`;
    const folded = (run) => html`
      <li key="${run[0].id} and more">
        <details>
          <summary>${run.length} × ${nameOf(run[0].type)}</summary>
          <ol>${run.map((event) => item(event, event !== run.at(-1) && gapAfter(event)))}</ol>
        </details>
        ${gapBetween(run.at(-1), gapAfter(run.at(-1)))}
      </li>`;
    const ofRun = (run) => (type || kinds.length === 1 || run.length < longRun ? run.map((event) => item(event)) : folded(run));
    const ofDay = ([title, onDay]) => html`
      <h3 key=${title}>${title}</h3>
      <ol key="${title} events">${runsOf(onDay).map(ofRun)}</ol>`;
    const filter = html`
      <select aria-label=${t('kind')} value=${type} onChange=${this.showKind}>
        <option value="">${t('all_kinds')}</option> ${kinds.map(option)}
      </select>`;
    return html`
      ${kinds.length > 1 && filter}
      <small>${plural('event_count', events.length, { shown: shown.length, zone })}</small>
      ${[...days].map(ofDay)}
      ${shown.length < ofKind.length && html`<button class="outline" onClick=${this.showMore}>${t('load_more')}</button>`}`;
  }
}

/** Puts neighbours of one kind together. */
function runsOf(events) {
  const runs = [];
  for (const event of events)
    if (runs.at(-1)?.[0].type === event.type) runs.at(-1).push(event);
    else runs.push([event]);
  return runs;
}

/** The time without an event before this one, if it is longer than a day. */
function gapBetween(event, older) {
  const hours = older ? Math.floor((Date.parse(event.occurred_at) - Date.parse(older.occurred_at)) / hour) : 0;
  if (hours < 24) return null;
  const parts = [unit('day', Math.floor(hours / 24)), hours % 24 > 0 && unit('hour', hours % 24)];
  return html`<small class="gap">${t('gap', { time: parts.filter(Boolean).join(' ') })}</small>`;
}

function HistoryItem({ event: { type, actor, message, data, occurred_at }, event, older }) {
  const date = new Date(occurred_at);
  const who = actor && (actor.label ?? actor.id ?? t(`actor_${actor.type}`));
  return html`
    <li>
      <h4>${nameOf(type)}</h4>
      <small>
        <time dateTime=${occurred_at} title=${exactTime.format(date)}>${time.format(date)}</time>
        ${who && html` · <bdi>${who}</bdi>`}
      </small>
      ${message && html`<p dir="auto">${message}</p>`}
      <${Pairs} of=${data} />
      ${gapBetween(event, older)}
    </li>`;
}
