import { AsyncLocalStorage } from 'node:async_hooks';
import { OrderEvent, OrderEventsService } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { describe, expect, it } from 'vitest';
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

  it('removeHistory removes 2,500 events of one order by one statement, and no other event', async () => {
    const projectId = freshProject();
    const { dataSource } = host.app.database;
    await addEvents(dataSource.manager, { projectId, orderId: 'gone' }, 2500, (n) => ({
      // Many events have the same time.
      occurredAt: new Date(Date.UTC(2026, 0, 1 + Math.floor(n / 700))),
    }));
    const others = { gon: 1001, gonf: 3, zzz: 3 };
    for (const [orderId, count] of Object.entries(others))
      await addEvents(dataSource.manager, { projectId, orderId }, count);
    const { sent, stop } = watchStatements(dataSource);

    const removed = await host.events.removeHistory({ projectId, orderId: 'gone' });
    stop();

    expect(removed).toBe(2500);
    expect(await left(projectId, 'gone')).toBe(0);
    for (const [orderId, count] of Object.entries(others)) expect(await left(projectId, orderId)).toBe(count);
    expect(sent.filter((sql) => sql.startsWith('DELETE'))).toHaveLength(1);
    expect(await host.events.removeHistory({ projectId, orderId: 'gone' })).toBe(0);
  });

  it('removeHistories removes the histories of 300 orders, and of no other project', async () => {
    const [projectId, other] = [freshProject(), freshProject()];
    const { manager } = host.dataSource;
    for (const id of [projectId, other])
      await addEvents(manager, { projectId: id, orderId: '' }, 1500, (n) => ({
        // The smallest id and the greatest one are among them.
        orderId: ['0', 'z'.repeat(64)][n - 1] ?? `${['a', 'B', 'c'][n % 3]}${n % 100}`,
        occurredAt: new Date(Date.UTC(2026, 0, 1 + (n % 7))),
      }));

    const removed = await host.events.removeHistories(projectId);

    expect(removed).toBe(1500);
    expect(await manager.countBy(OrderEvent, { projectId })).toBe(0);
    expect(await manager.countBy(OrderEvent, { projectId: other })).toBe(1500);
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
  });
});
