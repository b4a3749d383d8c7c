import { OrderEventsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { addMethods, renewRevision } from '../support/rows.js';

const ground = {
  carrier_code: 'ups',
  method_code: '03',
  method_label: 'canary-label',
  meta: { canary: true },
};
const unknownId = '01890000-0000-7000-8000-000000000000';

describe.each(['throw', 'ignore'] as const)(
  'tenants, with invalidWhereValuesBehavior set to "%s",',
  (behavior) => {
    let database: TestDatabase;
    let app: TestApp;
    let owner: Client;
    let stranger: Client;
    let id: string;
    beforeAll(async () => {
      database = await testDatabase({ invalidWhereValuesBehavior: { null: behavior, undefined: behavior } });
      app = await testApp({ database });
      owner = new Client(app.origin, freshProject());
      stranger = new Client(app.origin, freshProject());
      id = (await owner.create(ground)).body.id;
      await app.nest
        .get(OrderEventsService)
        .record(
          { projectId: owner.project, orderId: 'order-1' },
          { type: 'order.placed', message: 'canary-message' },
        );
    });
    afterAll(async () => {
      await app?.close();
      await database?.close();
    });

    it('see nothing of each other, and cannot tell a foreign id from an unknown one', async () => {
      const change = { ...ground, method_label: 'mine now' };
      const foreign = [
        await stranger.update(id, change),
        await stranger.remove(id),
        await stranger.events('order-1'),
        await stranger.list(`filter[id]=${id}`),
      ];
      const unknown = [
        await stranger.update(unknownId, change),
        await stranger.remove(unknownId),
        await stranger.events('order-2'),
        await stranger.list(`filter[id]=${unknownId}`),
      ];
      const others = [await stranger.list(), await stranger.list('q=canary'), await stranger.tree()];

      expect(foreign.map(({ status, text }) => [status, text])).toEqual(
        unknown.map(({ status, text }) => [status, text]),
      );
      expect([...foreign, ...unknown, ...others].map(({ text }) => text).join()).not.toContain('canary');
      expect((await owner.list()).body.data).toMatchObject([{ id, ...ground, version: 1 }]);
    });

    it('change only their own method, even if another tenant has one with the same id', async () => {
      const copy = new Client(app.origin, freshProject());
      await addMethods(database.dataSource.manager, copy.project, 1, () => ({ id }));

      const changed = await copy.update(id, { ...ground, method_label: 'mine now' });
      const removed = await copy.remove(id);
      await renewRevision(database.dataSource.manager, owner.project);

      expect([changed.status, removed.status]).toEqual([200, 204]);
      expect((await owner.list()).body.data).toMatchObject([{ id, ...ground, version: 1 }]);
    });

    it('may use the same codes', async () => {
      const { status, body } = await stranger.create(ground);

      expect(status).toBe(201);
      expect(body.id).not.toBe(id);
      expect((await owner.list()).body.meta.total).toBe(1);
    });
  },
);
