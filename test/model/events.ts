import fc from 'fast-check';
import {
  type JsonObject,
  type OrderEventActor,
  type OrderEventPage,
  type RecordedOrderEvent,
  type NewOrderEvent,
} from 'nestjs-shipping';
import { expect } from 'vitest';
import { command, expectSame, serviceCommand } from './command.js';
import { type Histories } from './histories.js';
import { dedupeKeys, meta, text, time } from './values.js';

const eventTypes = ['order.placed', 'shipment.dispatched', 'my_app.odd_thing.happened'];

const entry: fc.Arbitrary<NewOrderEvent & { orderId: string }> = fc.record(
  {
    orderId: fc.constantFrom('o-1', 'o-1', 'o-2'),
    type: fc.constantFrom(...eventTypes),
    message: fc.option(fc.oneof(text, fc.constantFrom('', ' % ', 'a\r\n\tb\n', '😀'.repeat(4000)))),
    data: fc.option(meta as fc.Arbitrary<JsonObject>),
    actor: fc.option(
      fc.constantFrom<OrderEventActor>(
        { type: 'user', id: '7', label: null },
        { type: 'system', id: null, label: 'Cron' },
      ),
    ),
    occurred_at: fc.option(time),
    dedupe_key: dedupeKeys,
  },
  { requiredKeys: ['orderId', 'type', 'dedupe_key'] },
);

/** Records events with the same order ids and keys in each project. */
const record = serviceCommand('record', entry, async ({ orderId, ...event }, { model, shop, shops }) => {
  const order = `${orderId}-${shops.run}`;

  const { body } = await shop.record(order, event);

  expectRecorded(model.histories, [shop.project, order, event], body as RecordedOrderEvent);
});

const events = command(
  'events',
  fc.constantFrom('o-1', 'o-2', 'o-3'),
  async (name, { model, shop, shops }) => {
    const order = `${name}-${shops.run}`;

    const { status, body } = await shop.events(order);

    const history = model.histories.of(`${shop.project}/${order}`);
    expectSame('history', [status, body], [200, { data: history }]);
  },
);

function expectRecorded(
  histories: Histories,
  [projectId, orderId, sent]: [projectId: string, orderId: string, event: NewOrderEvent],
  { repeated, ...event }: RecordedOrderEvent,
): void {
  const key = `${projectId}/${orderId}`;
  const { dedupe_key: dedupeKey = null, message = null, data, actor = null } = sent;
  const first = histories.first(key, dedupeKey);
  expectSame('repeated', repeated, first !== undefined);
  if (first) return expect(event).toEqual(first);
  expect(event).toEqual({
    id: event.id,
    project_id: projectId,
    order_id: orderId,
    type: sent.type,
    message,
    data: data ?? {},
    actor,
    occurred_at: sent.occurred_at ? new Date(sent.occurred_at).toISOString() : event.recorded_at,
    recorded_at: event.recorded_at,
  });
  histories.keep(key, dedupeKey, event);
}

/** Reads all pages of a history by the same query. */
const pages = serviceCommand(
  'pages',
  fc.record(
    {
      orderId: fc.constantFrom('o-1', 'o-2', 'o-3'),
      limit: fc.integer({ min: 1, max: 4 }),
      types: fc.subarray(eventTypes),
      newestFirst: fc.boolean(),
    },
    { requiredKeys: ['orderId', 'limit'] },
  ),
  async ({ orderId, ...query }, { model, shop, shops }) => {
    const order = `${orderId}-${shops.run}`;
    const wanted = model.histories
      .of(`${shop.project}/${order}`)
      .filter(({ type }) => query.types?.includes(type) ?? true);
    const history = query.newestFirst ? wanted.toReversed() : wanted;

    let cursor: string | null = null;
    for (let place = 0; place === 0 || cursor; place += query.limit) {
      const { events: shown, next }: OrderEventPage = await shop.page(order, { ...query, cursor });
      const isLast = place + query.limit >= history.length;
      const expected = [history.slice(place, place + query.limit), isLast];
      expectSame('page', [shown, next === null], expected);
      cursor = next;
    }
  },
);

export const eventCommands = [record, record, record, events, pages];
