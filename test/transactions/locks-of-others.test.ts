import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { isCitus } from '../support/citus.js';
import { Client, freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';
import { methodsOf } from '../support/changes.js';

onlyWhere('severalConnections', () => {
  describe("a host's lock on the rows of one tenant", () => {
    let database: TestDatabase;
    let app: TestApp;
    let methods: ShippingMethodsService;
    let events: OrderEventsService;
    const [locked, free] = [freshProject(), freshProject()];
    const [held, imported, removed] = [freshProject(), freshProject(), freshProject()];
    let shop: Client;
    beforeAll(async () => {
      database = await testDatabase({ connections: 5, statementTimeoutMs: 4000, connectTimeoutMs: 2000 });
      app = await testApp({ database });
      methods = app.nest.get(ShippingMethodsService);
      events = app.nest.get(OrderEventsService);
      shop = new Client(app.origin, free);
      const { manager } = database.dataSource;
      await engine.createTenants(manager, [locked, free, held, imported, removed]);
      await engine.referToTenants(manager);
    });
    afterAll(async () => {
      await app?.close();
      await database?.close();
    });

    /** Holds the lock until `work` is done, and then awaits the calls that wait for the lock. */
    const whileLocked = async <Done>(
      waiting: () => Promise<unknown>[],
      work: () => Promise<Done>,
    ): Promise<[Done, PromiseSettledResult<unknown>[]]> => {
      const { waits, done } = await database.dataSource.transaction(async (manager) => {
        await engine.lockTenant(manager, locked);
        const calls = Promise.allSettled(waiting());
        return { done: await work(), waits: calls.then((outcomes) => ({ outcomes })) };
      });
      return [done, (await waits).outcomes];
    };

    it('does not hold up changes of another tenant', async () => {
      const { id } = await methods.create(free, ground);
      await methods.create(locked, ground);

      const [others, waited] = await whileLocked(
        () => [methods.create(locked, { ...ground, method_code: 'a' })],
        () =>
          Promise.all([
            methods.create(free, { ...ground, method_code: 'a' }),
            methods.update(free, id, { ...ground, sort_order: 1 }),
            methods.list(free),
          ]),
      );

      expect(others).toMatchObject([{ version: 1 }, { version: 2 }, {}]);
      expect(waited).toMatchObject([{ status: 'fulfilled' }]);
    });

    it('does not hold up imports and removals of another tenant', async () => {
      const list = (method_label: string) =>
        Array.from({ length: 20 }, (_, n) => ({ ...ground, method_code: `m${n}`, method_label }));
      for (const projectId of [held, imported, removed]) await methods.upsertMany(projectId, list('old'));
      const [one] = await methods.findActive(held);

      const [{ changes }, count] = await database.dataSource.transaction(
        'READ COMMITTED',
        async (manager) => {
          await methods.update(held, one?.id ?? '', { ...ground, method_label: 'new' }, { manager });
          return Promise.all([methods.upsertMany(imported, list('new')), methods.removeAll(removed)]);
        },
      );

      expect(methodsOf(changes, 'updated')).toHaveLength(20);
      expect(count).toBe(20);
    });

    // On Citus, a lock on a row of a table that each node has does not hold up the others.
    it.skipIf(isCitus)('makes waiting changes of methods share one connection', async () => {
      const codes = Array.from({ length: 16 }, (_, n) => `m${n}`);
      const create = vi.spyOn(database.dataSource, 'createQueryRunner');

      const [taken, waited] = await whileLocked(
        () => codes.map((method_code) => methods.create(locked, { ...ground, method_code })),
        async () => {
          await shop.tree();
          create.mockClear();
          const responses = [await shop.list('q=1'), await shop.create({ ...ground, method_code: 'b' })];
          expect(responses.map(({ status }) => status)).toEqual([200, 201]);
          return create.mock.results.length;
        },
      );
      create.mockRestore();

      expect(waited.map(({ status }) => status)).toEqual(Array(16).fill('fulfilled'));
      // The list and the create of the other tenant take connections, too.
      expect(taken).toBeLessThanOrEqual(4);
    });

    it('makes waiting removals of methods share one connection', async () => {
      await methods.create(locked, { ...ground, method_code: 'doomed' });
      const twelve = Array.from({ length: 12 });

      // By default, a removal on MariaDB also locks the gaps between its rows and those of the next tenant.
      const level = 'READ COMMITTED';
      const [responses, waited] = await database.dataSource.transaction(level, async (manager) => {
        await methods.removeAll(locked, { manager });
        const removals = Promise.allSettled(twelve.map(() => methods.removeAll(locked)));
        return [[await shop.list('q=3'), await shop.create({ ...ground, method_code: 'c' })], { removals }];
      });

      expect(responses.map(({ status }) => status)).toEqual([200, 201]);
      expect((await waited.removals).map(({ status }) => status)).toEqual(Array(12).fill('fulfilled'));
    });

    it('on the dedupe_key of an event does not hold up events of another order', async () => {
      const event = { type: 'order.paid', dedupe_key: 'once' };

      const [other, second] = await database.dataSource.transaction(async (manager) => {
        const first = await events.record({ projectId: locked, orderId: 'open' }, event, { manager });
        const again = events
          .record({ projectId: locked, orderId: 'open' }, event)
          .then(({ id, repeated }) => repeated && id === first.id);
        return [await events.record({ projectId: locked, orderId: 'other' }, event), { again }];
      });

      expect(other).toMatchObject({ order_id: 'other' });
      expect(await second.again).toBe(true);
    });
  });
});
