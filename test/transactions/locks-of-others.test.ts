import { OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

onlyWhere('severalConnections', () => {
  describe("a host's lock on the rows of one tenant", () => {
    let database: TestDatabase;
    let app: TestApp;
    let methods: ShippingMethods;
    let events: OrderEvents;
    const [locked, free] = [freshProject(), freshProject()];
    let shop: Client;
    beforeAll(async () => {
      database = await testDatabase({ connections: 5, statementTimeoutMs: 4000, connectTimeoutMs: 2000 });
      app = await testApp({ database });
      methods = app.nest.get(ShippingMethods);
      events = app.nest.get(OrderEvents);
      shop = new Client(app.origin, free);
      const { manager } = database.dataSource;
      await engine.createTenants(manager, [locked, free]);
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

    it('takes no more than one connection, however many changes and events wait', async () => {
      const events8 = Array.from({ length: 8 }, (_, n) => n);
      const [answers, waited] = await whileLocked(
        () => [
          ...events8.map((n) => methods.create(locked, { ...ground, method_code: `m${n}` })),
          ...events8.map((n) => events.record({ projectId: locked, orderId: `o${n}`, type: 'order.placed' })),
        ],
        async () => [
          await shop.list('q=1'),
          await shop.create({ ...ground, method_code: 'b' }),
          await shop.tree(),
        ],
      );

      expect(answers.map(({ status }) => status)).toEqual([200, 201, 200]);
      expect(waited.map(({ status }) => status)).toEqual(Array(16).fill('fulfilled'));
    });

    it('on the dedupeKey of an event that is recorded again holds up no methods, and no other tenants', async () => {
      const event = (orderId: string) => ({
        projectId: locked,
        orderId,
        type: 'order.paid',
        dedupeKey: 'once',
      });
      const orders = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'];
      const { dataSource } = database;

      const { status, retries } = await dataSource.transaction(async (manager) => {
        for (const order of orders) await events.record(event(order), { manager });
        const again = orders.flatMap((order) => [1, 2].map(() => events.record(event(order))));
        const list = await shop.list('q=2');
        await methods.create(locked, { ...ground, method_code: 'beside events' });
        return { status: list.status, retries: { all: Promise.all(again) } };
      });
      const recorded = await retries.all;

      expect(status).toBe(200);
      expect(new Set(recorded.map(({ id }) => id)).size).toBe(6);
      for (const order of orders) expect(await events.list(locked, order)).toHaveLength(1);
    });
  });
});
