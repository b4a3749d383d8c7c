import { OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from './support/app.js';
import { Client, freshProject } from './support/client.js';
import { serverUrl } from './support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const poolSize = serverUrl ? 10 : 1;

describe('a connection that the host gave back', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let events: OrderEvents;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
    events = app.nest.get(OrderEvents);
  });
  afterAll(() => app?.close());

  /** Runs these statements on every connection of the pool, and gives the connections back. */
  const leave = async (...statements: string[]): Promise<void> => {
    const { dataSource } = app.database;
    const runners = Array.from({ length: poolSize }, () => dataSource.createQueryRunner());
    for (const runner of runners) {
      await runner.connect();
      for (const sql of statements) await runner.query(sql).catch(() => undefined);
    }
    for (const runner of runners) await runner.release();
  };

  describe.each([
    ['inside an open transaction', ['BEGIN']],
    ['inside a snapshot', ['BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1']],
    ['inside a failed transaction', ['BEGIN', 'SELECT 1/0']],
  ])('%s', (_state, statements) => {
    let shop: Client;
    let id: string;
    beforeEach(async () => {
      shop = new Client(app.origin, freshProject());
      ({ id } = (await shop.create(ground)).body);
    });

    it('serves reads of the current data', async () => {
      await leave(...statements);
      const read = await Promise.all(Array.from({ length: 12 }, () => shop.list(`q=${Math.random()}`)));
      await leave(...statements);
      const list = await shop.list();

      expect(read.map(({ status }) => status)).toEqual(Array(12).fill(200));
      expect(list.body.data).toMatchObject([ground]);
    });

    it('keeps acknowledged writes', async () => {
      const event = { projectId: shop.project, orderId: 'o', type: 'order.placed' };

      await leave(...statements);
      const created = await shop.create({ ...ground, method_code: '01' });
      await leave(...statements);
      const updated = await shop.update(id, { ...ground, sort_order: 7 });
      await leave(...statements);
      await events.record(event);
      await leave('ROLLBACK');

      expect([created.status, updated.status]).toEqual([201, 200]);
      expect((await methods.list(shop.project)).data.map(({ version }) => version)).toEqual([1, 2]);
      expect(await events.list(shop.project, 'o')).toHaveLength(1);
    });
  });

  it('has its own time-outs after our batches have used it', async () => {
    const changed = (): Promise<unknown> =>
      app.database.dataSource.query(
        `SELECT name, setting FROM pg_settings WHERE name LIKE '%timeout' AND setting <> reset_val`,
      );
    const shop = new Client(app.origin, freshProject());

    const { body } = await shop.create(ground);
    const afterCreate = await changed();
    await shop.update(body.id, { ...ground, sort_order: 1 });
    const afterUpdate = await changed();
    await events.record({ projectId: shop.project, orderId: 'o', type: 'order.placed' });
    const afterEvent = await changed();

    expect([afterCreate, afterUpdate, afterEvent]).toEqual([[], [], []]);
  });

  it('inside a failed transaction works even when the driver cannot tell its state', async () => {
    const shop = new Client(app.origin, freshProject());
    const runner = app.database.dataSource.createQueryRunner();
    const client = Object.getPrototypeOf(await runner.connect()) as { getTransactionStatus(): string | null };
    await runner.release();
    const status = vi.spyOn(client, 'getTransactionStatus').mockReturnValue(null);

    await leave('BEGIN', 'SELECT 1/0');
    const created = await shop.create(ground);
    await leave('BEGIN', 'SELECT 1/0');
    const list = await shop.list();
    status.mockRestore();
    await leave('ROLLBACK');

    expect(created.status).toBe(201);
    expect(list.body.data).toMatchObject([ground]);
  });
});
