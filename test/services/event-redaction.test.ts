import { type NewOrderEvent, OrderEvent, type OrderEventDto, OrderEventsService } from 'nestjs-shipping';
import { describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { onlyWhere } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { watchStatements } from '../support/statements.js';

const personal = {
  message: 'Please ring at Hígado & Sons, "2nd" floor',
  data: { email: 'ada@example.org', n: [1, { actor: { type: 'user' } }] },
};
const label = '"type":"user" \\ Ada';
const recorded: NewOrderEvent[] = [
  {
    type: 'order.placed',
    ...personal,
    actor: { type: 'customer', id: 'c-518', label },
    dedupe_key: 'placed',
  },
  { type: 'order.paid', actor: { type: 'app', id: 'payments' } },
  { type: 'note.added', message: 'Only a message' },
  { type: 'address.changed', data: { street: 'Only data' } },
  { type: 'shipment.created', data: { box: 1 }, actor: { type: 'user', label } },
  { type: 'order.completed', actor: { type: 'system' } },
  { type: 'order.archived' },
];
const redactedActors = ['customer', 'app', undefined, undefined, 'user', 'system', undefined];

describe('redactHistory', () => {
  const host = mounted();
  const left = (projectId: string): Promise<number> =>
    host.dataSource
      .createQueryBuilder(OrderEvent, 'e')
      .where('e.projectId = :projectId AND e.message IS NOT NULL', { projectId })
      .getCount();
  const recordAll = async (projectId: string, orderId: string): Promise<readonly OrderEventDto[]> => {
    for (const [n, event] of recorded.entries())
      await host.events.record({ projectId, orderId }, { ...event, occurred_at: new Date(n * 1000) });
    return host.events.findAll({ projectId, orderId });
  };
  const redacted = (before: readonly OrderEventDto[]): object[] =>
    before.map((event, n) => ({
      ...event,
      message: null,
      data: {},
      actor: redactedActors[n] ? { type: redactedActors[n], id: null, label: null } : null,
    }));

  it('empties messages, data and actors of one order, on every way to read them', async () => {
    const projectId = freshProject();
    const before = await recordAll(projectId, 'o');
    const others = [await recordAll(projectId, 'other'), await recordAll(freshProject(), 'o')];

    const changed = await host.events.redactHistory({ projectId, orderId: 'o' });

    // Two events had nothing to empty.
    expect(changed).toBe(5);
    const expected = redacted(before);
    expect(await host.events.findAll({ projectId, orderId: 'o' })).toEqual(expected);
    const streamed: OrderEventDto[] = [];
    for await (const event of host.events.stream({ projectId, orderId: 'o' })) streamed.push(event);
    expect(streamed).toEqual(expected);
    const { body } = await new Client(host.app.origin, projectId).events('o');
    expect(body).toEqual({ data: expected });
    const first = await host.events.list({ projectId, orderId: 'o' }, { limit: 4 });
    const second = await host.events.list(
      { projectId, orderId: 'o' },
      { limit: 4, cursor: String(first.next) },
    );
    expect([...first.data, ...second.data]).toEqual(expected);
    expect(second.next).toBeNull();
    const pairs = others.flatMap((events) =>
      events.map(({ project_id, order_id }) => [project_id, order_id]),
    );
    const unchanged = await Promise.all(
      [pairs[0], pairs.at(-1)].map((pair) =>
        host.events.findAll({ projectId: String(pair?.[0]), orderId: String(pair?.[1]) }),
      ),
    );
    expect(unchanged).toEqual(others);
  });

  it('changes nothing the second time, and what was recorded since the first', async () => {
    const order = { projectId: freshProject(), orderId: 'o' };
    await recordAll(order.projectId, 'o');
    await host.events.redactHistory(order);

    expect(await host.events.redactHistory(order)).toBe(0);
    await host.events.record(order, { type: 'note.added', ...personal });
    expect(await host.events.redactHistory(order)).toBe(1);
    expect(await host.events.redactHistory({ ...order, orderId: 'unknown' })).toBe(0);
  });

  it('keeps each dedupe_key, so a late webhook is repeated and brings nothing back', async () => {
    const projectId = freshProject();
    const [before] = await recordAll(projectId, 'o');
    await host.events.redactHistory({ projectId, orderId: 'o' });

    const late = await host.events.record(
      { projectId, orderId: 'o' },
      recorded[0] ?? { type: 'order.placed' },
    );

    expect(late).toEqual({ ...redacted(before ? [before] : [])[0], repeated: true });
    expect(await left(projectId)).toBe(0);
  });

  it('is undone by a rollback of the transaction of the caller', async () => {
    const order = { projectId: freshProject(), orderId: 'o' };
    await addEvents(host.dataSource.manager, order, 2300, () => personal);

    const rolledBack = host.dataSource.transaction(async (manager) => {
      await host.events.record(order, { type: 'note.added', ...personal }, { manager });
      expect(await host.events.redactHistory(order, { manager })).toBe(2301);
      throw new Error('rollback');
    });

    await expect(rolledBack).rejects.toThrow('rollback');
    expect(await left(order.projectId)).toBe(2300);
  });

  it.each([
    ['the same time', () => 0],
    ['three times', (n: number) => n % 3],
    ['each its own time', (n: number) => n],
  ])('commits each batch of 2,500 events with %s by itself', async (_, seconds) => {
    const order = { projectId: freshProject(), orderId: 'o' };
    const { dataSource } = host;
    await addEvents(dataSource.manager, order, 2500, (n) => ({
      ...personal,
      occurredAt: new Date(seconds(n) * 1000),
      actor: n % 2 ? { type: 'user', id: `${n}`, label } : null,
    }));
    const { sent, stop } = watchStatements(dataSource);

    const changed = await host.events.redactHistory(order);
    stop();

    expect(changed).toBe(2500);
    expect(await left(order.projectId)).toBe(0);
    expect(sent.filter((sql) => sql.startsWith('COMMIT'))).toHaveLength(3);
  });

  it('keeps the batches before an error, and the next call goes on', async () => {
    const order = { projectId: freshProject(), orderId: 'o' };
    await addEvents(host.dataSource.manager, order, 2500, () => personal);
    let updates = 0;
    const logged = vi.spyOn(host.dataSource.logger, 'logQuery').mockImplementation((sql) => {
      if (sql.startsWith('UPDATE') && ++updates === 3) throw new Error('The power is off.');
    });

    await expect(host.events.redactHistory(order)).rejects.toThrow('The power is off.');
    logged.mockRestore();

    expect(await left(order.projectId)).toBe(500);
    expect(await host.events.redactHistory(order)).toBe(500);
  });

  onlyWhere('severalConnections', () => {
    it('counts each event once in two processes at the same time', async () => {
      const order = { projectId: freshProject(), orderId: 'o' };
      await addEvents(host.dataSource.manager, order, 2500, () => personal);
      const other = await testApp({ database: await host.app.database.another() });

      const counts = await Promise.all(
        [host.events, other.nest.get(OrderEventsService)].map((events) => events.redactHistory(order)),
      ).finally(() => other.close());

      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2500);
      expect(await left(order.projectId)).toBe(0);
    });
  });
});
