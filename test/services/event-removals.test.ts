import { AsyncLocalStorage } from 'node:async_hooks';
import { OrderEvent, OrderEventsService, type OrderKey, type ShippingCallOptions } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';
import { onlyWhere } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { watchStatements } from '../support/statements.js';

const host = mounted({ shipping: { entityManager: () => ambient.getStore() } });
const ambient = new AsyncLocalStorage<EntityManager>();

describe('OrderEventsService', () => {
  const left = (projectId: string, orderId: string): Promise<number> =>
    host.dataSource.manager.countBy(OrderEvent, { projectId, orderId });

  it.each([
    ['the same time', () => 0],
    ['four times', (n: number) => n / 700],
    ['each its own time', (n: number) => n],
  ])(
    'removeHistory commits each batch of 2,500 events with %s, and removes no other event',
    async (_, days) => {
      const projectId = freshProject();
      const { dataSource } = host;
      await addEvents(dataSource.manager, { projectId, orderId: 'gone' }, 2500, (n) => ({
        occurredAt: new Date(Date.UTC(2026, 0, 1 + Math.floor(days(n)))),
      }));
      const others = { gon: 1001, gonf: 3, zzz: 3 };
      for (const [orderId, count] of Object.entries(others))
        await addEvents(dataSource.manager, { projectId, orderId }, count);
      const { sent, stop } = watchStatements(dataSource);

      const removed = await host.events.removeHistory({ projectId, orderId: 'gone' });
      stop();

      expect(removed).toBe(2500);
      expect(await left(projectId, 'gone')).toBe(0);
      for (const [orderId, count] of Object.entries(others))
        expect(await left(projectId, orderId)).toBe(count);
      expect(sent.filter((sql) => sql.startsWith('COMMIT'))).toHaveLength(3);
      expect(await host.events.removeHistory({ projectId, orderId: 'gone' })).toBe(0);
    },
  );

  it('removeHistories removes the histories of 300 orders in batches, and of no other project', async () => {
    const [projectId, other] = [freshProject(), freshProject()];
    const { manager } = host.dataSource;
    for (const id of [projectId, other])
      await addEvents(manager, { projectId: id, orderId: '' }, 3000, (n) => ({
        // The smallest id and the greatest one are among them.
        orderId: ['0', 'z'.repeat(64)][n - 1] ?? `${['a', 'B', 'é'][n % 3]}${n % 100}`,
        occurredAt: new Date(Date.UTC(2026, 0, 1 + (n % 7))),
      }));
    const { sent, stop } = watchStatements(host.dataSource);

    const removed = await host.events.removeHistories(projectId);
    stop();

    expect(removed).toBe(3000);
    expect(await manager.countBy(OrderEvent, { projectId })).toBe(0);
    expect(await manager.countBy(OrderEvent, { projectId: other })).toBe(3000);
    // The last batch is empty, because the one before was full.
    expect(sent.filter((sql) => sql.startsWith('COMMIT'))).toHaveLength(4);
  });

  it.each([
    ['removeHistory', () => host.events.removeHistory.bind(host.events)],
    ['redactHistory', () => host.events.redactHistory.bind(host.events)],
  ] as const)(
    '%s belongs to one nested transaction with all its batches, and is undone with it',
    async (_name, call) => {
      const order = { projectId: freshProject(), orderId: 'o' };
      await addEvents(host.dataSource.manager, order, 1001, () => ({ message: 'a name' }));

      await host.dataSource.transaction(async (manager) => {
        let changing: Promise<number> | undefined;
        const undone = manager.transaction((nested) => {
          changing = call()(order, { manager: nested });
          return Promise.reject(new Error('undo'));
        });
        await expect(undone).rejects.toThrow('undo');
        expect(await changing).toBe(1001);
      });

      const { manager } = host.dataSource;
      expect(await manager.countBy(OrderEvent, { ...order, message: 'a name' })).toBe(1001);
    },
  );

  it('a removal keeps the batches before an error, and the next call removes the rest', async () => {
    const projectId = freshProject();
    for (const orderId of ['a', 'b']) await addEvents(host.dataSource.manager, { projectId, orderId }, 1250);
    let removals = 0;
    const logged = vi.spyOn(host.dataSource.logger, 'logQuery').mockImplementation((sql) => {
      if (sql.startsWith('DELETE') && ++removals === 3) throw new Error('The power is off.');
    });

    await expect(host.events.removeHistories(projectId)).rejects.toThrow('The power is off.');
    logged.mockRestore();

    expect(await host.dataSource.manager.countBy(OrderEvent, { projectId })).toBe(500);
    expect(await host.events.removeHistories(projectId)).toBe(500);
  });

  it.each(["caller's", 'ambient'] as const)(
    'removals of the %s transaction are undone by its rollback',
    async (kind) => {
      const order = { projectId: freshProject(), orderId: 'o' };
      const { dataSource } = host.app.database;
      await addEvents(dataSource.manager, order, 1200);

      const rolledBack = dataSource.transaction(async (manager) => {
        const joined = kind === 'ambient' ? {} : { manager };
        const work = async (): Promise<void> => {
          expect(await host.events.removeHistory({ projectId: order.projectId, orderId: 'o' }, joined)).toBe(
            1200,
          );
          await host.events.record(order, { type: 'order.placed' }, joined);
          expect(await host.events.removeHistories(order.projectId, joined)).toBe(1);
        };
        await (kind === 'ambient' ? ambient.run(manager, work) : work());
        throw new Error('rollback');
      });

      await expect(rolledBack).rejects.toThrow('rollback');
      expect(await left(order.projectId, 'o')).toBe(1200);
    },
  );

  onlyWhere('severalConnections', () => {
    it('removeHistory in two processes at once ends when no event is left', async () => {
      const projectId = freshProject();
      await addEvents(host.dataSource.manager, { projectId, orderId: 'o' }, 2500);
      const other = await testApp({ database: await host.app.database.another() });

      const removing = [host.events, other.nest.get(OrderEventsService)].map(async (events) => {
        const removed = await events.removeHistory({ projectId, orderId: 'o' });
        return { removed, left: await left(projectId, 'o') };
      });
      const ends = await Promise.all(removing).finally(() => other.close());

      expect(ends.map((end) => end.left)).toEqual([0, 0]);
      expect(ends.reduce((sum, { removed }) => sum + removed, 0)).toBe(2500);
    });

    it('removeHistory does not wait for a writer of another order', async () => {
      const projectId = freshProject();
      await addEvents(host.dataSource.manager, { projectId, orderId: 'b' }, 5);

      const removed = await host.dataSource.transaction(async (manager) => {
        await host.events.record({ projectId, orderId: 'd' }, { type: 'order.placed' }, { manager });
        return host.events.removeHistory({ projectId, orderId: 'b' });
      });

      expect(removed).toBe(5);
      expect(await left(projectId, 'd')).toBe(1);
    });

    it.each([
      [
        'record',
        (order: OrderKey, options: ShippingCallOptions) =>
          host.events.record(order, { type: 'note.added' }, options),
      ],
      [
        'record with a dedupe_key',
        (order: OrderKey, options: ShippingCallOptions) =>
          host.events.record(order, { type: 'note.added', dedupe_key: 'again' }, options),
      ],
      [
        'redactHistory',
        (order: OrderKey, options: ShippingCallOptions) => host.events.redactHistory(order, options),
      ],
      [
        'removeHistory',
        (order: OrderKey, options: ShippingCallOptions) => host.events.removeHistory(order, options),
      ],
    ])('%s of the newest event keeps no other event from being recorded', async (_name, call) => {
      const projectId = freshProject();
      // MariaDB and MySQL lock the gaps beside an event, up to its neighbours in the primary key.
      for (const orderId of ['a', 'y', 'm'])
        await addEvents(host.dataSource.manager, { projectId, orderId }, 20, (n) => ({
          message: n === 20 ? 'Ada' : null,
          dedupeKey: `${n}`,
        }));

      await host.dataSource.transaction(async (manager) => {
        await call({ projectId, orderId: 'm' }, { manager });
        await host.events.record({ projectId, orderId: 'z' }, { type: 'order.placed', dedupe_key: 'placed' });
      });

      expect(await left(projectId, 'z')).toBe(1);
    });
  });
});
