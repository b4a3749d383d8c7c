import { OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from './support/app.js';
import { Client, freshProject } from './support/client.js';
import { engine, onlyWhere } from './support/database.js';
import { runOnEach, statementThatFails } from './support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
onlyWhere('connections', () => {
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

    const leave = (...statements: string[]): Promise<void> => runOnEach(app.database, statements);

    describe.each([
      ['inside an open transaction', ['BEGIN']],
      ['inside a snapshot', engine.beginSnapshot],
      ['inside a failed transaction', ['BEGIN', statementThatFails]],
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
      const changed = () => engine.changedTimeouts(app.database.dataSource.manager);
      const shop = new Client(app.origin, freshProject());

      const { body } = await shop.create(ground);
      const afterCreate = await changed();
      await shop.update(body.id, { ...ground, sort_order: 1 });
      const afterUpdate = await changed();
      await events.record({ projectId: shop.project, orderId: 'o', type: 'order.placed' });
      const afterEvent = await changed();

      expect([afterCreate, afterUpdate, afterEvent]).toEqual([[], [], []]);
    });
  });
});
