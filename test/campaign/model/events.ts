import fc from 'fast-check';
import {
  type JsonObject,
  type OrderEventActor,
  type OrderEventDto,
  type RecordOrderEvent,
} from 'nestjs-shipping';
import { expect } from 'vitest';
import { command, expectSame, serviceCommand } from './command.js';
import { type Histories } from './histories.js';
import { dedupeKeys, meta, text, time } from './values.js';

const entry: fc.Arbitrary<Omit<RecordOrderEvent, 'projectId'>> = fc.record(
  {
    orderId: fc.constantFrom('o-1', 'o-1', 'o-2'),
    type: fc.constantFrom('order.placed', 'shipment.dispatched', 'my_app.odd_thing.happened'),
    message: fc.option(fc.oneof(text, fc.constantFrom('', ' % ', '😀'.repeat(1000)))),
    data: fc.option(meta as fc.Arbitrary<JsonObject>),
    actor: fc.option(
      fc.constantFrom<OrderEventActor>(
        { type: 'user', id: '7', label: null },
        { type: 'system', id: null, label: 'Cron' },
      ),
    ),
    occurredAt: fc.option(time),
    dedupeKey: dedupeKeys,
  },
  { requiredKeys: ['orderId', 'type', 'dedupeKey'] },
);

/** Records events with the same order ids and keys in each project. */
const record = serviceCommand('record', entry, async (given, { model, shop, shops }) => {
  const sent: RecordOrderEvent = {
    ...given,
    projectId: shop.project,
    orderId: `${given.orderId}-${shops.run}`,
  };

  const { body } = await shop.record(sent);

  expectRecorded(model.histories, sent, body as OrderEventDto);
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

function expectRecorded(histories: Histories, sent: RecordOrderEvent, event: OrderEventDto): void {
  const key = `${sent.projectId}/${sent.orderId}`;
  const { dedupeKey = null, message = null, data, actor = null } = sent;
  const first = histories.first(key, dedupeKey);
  if (first) return expect(event).toEqual(first);
  expect(event).toEqual({
    id: event.id,
    project_id: sent.projectId,
    order_id: sent.orderId,
    type: sent.type,
    message,
    data: data ?? {},
    actor,
    occurred_at: sent.occurredAt ? new Date(sent.occurredAt).toISOString() : event.recorded_at,
    recorded_at: event.recorded_at,
  });
  histories.keep(key, dedupeKey, event);
}

export const eventCommands = [record, record, record, events];
