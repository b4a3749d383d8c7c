import { AsyncLocalStorage } from 'node:async_hooks';
import { type NestInterceptor } from '@nestjs/common';
import { OrderEvents, ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { from, lastValueFrom } from 'rxjs';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { serverUrl, type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, typeOrm } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('a lost race in an ambient transaction', () => {
  let database: TestDatabase;
  let host: Host;
  let methods: ShippingMethods;
  let events: OrderEvents;
  const ambient = new AsyncLocalStorage<EntityManager>();
  const inTransaction: NestInterceptor = {
    intercept: (_context, next) =>
      from(
        database.dataSource.transaction((manager) =>
          ambient.run(manager, () => lastValueFrom(next.handle(), { defaultValue: undefined })),
        ),
      ),
  };

  beforeAll(async () => {
    database = await testDatabase(serverUrl ? { extra: { options: '-c lock_timeout=100' } } : {});
    const { dataSource, table } = database;
    const mounted = await compiled([
      typeOrm(database),
      ShippingModule.forRoot({ entityManager: () => ambient.getStore() }),
    ]);
    host = await listening(mounted, (app) => app.useGlobalInterceptors(inTransaction));
    methods = host.app.get(ShippingMethods);
    events = host.app.get(OrderEvents);
    // Raises the error that a server gives when two transactions conflict.
    for (const [name, code] of [
      ['shipping_method', 'NEW.method_label'],
      ['shipping_order_event', 'NEW.message'],
    ] as const) {
      await dataSource.query(
        `CREATE FUNCTION ${table(`lose_${name}`)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF ${code} ~ '^[0-9P]{5}$' THEN RAISE 'lost' USING ERRCODE = ${code}; END IF; RETURN NEW; END $$`,
      );
      await dataSource.query(
        `CREATE TRIGGER lose BEFORE INSERT OR UPDATE ON ${table(name)}
           FOR EACH ROW EXECUTE FUNCTION ${table(`lose_${name}`)}()`,
      );
    }
  });
  afterAll(async () => {
    host?.app.getHttpServer().close();
    await database?.close();
  });

  it.each(['40001', '40P01', '55P03', '25P04'])(
    '(%s) is answered with a 503 and Retry-After',
    async (code) => {
      const shop = new Client(host.origin, freshProject());
      const { id } = (await shop.create(ground)).body;

      const answers = [
        await shop.create({ ...ground, method_code: '01', method_label: code }),
        await shop.update(id, { ...ground, method_label: code }),
      ];

      for (const { status, headers, body } of answers) {
        expect([status, body.code]).toEqual([503, 'database_unavailable']);
        expect(headers.get('retry-after')).toBe('1');
      }
      expect((await methods.list(shop.project)).data).toMatchObject([ground]);
    },
  );

  it.each(['40001', '40P01', '55P03', '25P04'])(
    '(%s) reaches a caller of the services as an error with its cause',
    async (code) => {
      const project = freshProject();
      const inHost = (call: (manager: EntityManager) => Promise<unknown>) =>
        database.dataSource.transaction(call);
      const lost = { code: 'database_unavailable', cause: { code } };

      const created = inHost((manager) =>
        methods.create(project, { ...ground, method_label: code }, { manager }),
      );
      await expect(created).rejects.toMatchObject(lost);
      const recorded = inHost((manager) =>
        events.record({ projectId: project, orderId: 'o', type: 'order.placed', message: code }, { manager }),
      );
      await expect(recorded).rejects.toMatchObject(lost);
    },
  );

  // The embedded database has one connection, so no call can wait for the lock of another one.
  it.skipIf(!serverUrl)('for a lock of another transaction is a 503 on each route that writes', async () => {
    const shop = new Client(host.origin, freshProject());
    const { id } = (await shop.create(ground)).body;

    const answers = await database.dataSource.transaction(async (manager) => {
      await methods.update(shop.project, id, { ...ground, sort_order: 1 }, { manager });
      return [
        await shop.create({ ...ground, method_code: '01' }),
        await shop.update(id, { ...ground, sort_order: 2 }),
        await shop.update(id, { ...ground, method_code: '02' }),
        await shop.remove(id),
      ];
    });

    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(503));
    expect(answers.map(({ body }) => body.code)).toEqual(Array(4).fill('database_unavailable'));
    expect((await methods.list(shop.project)).data).toMatchObject([{ ...ground, version: 2, sort_order: 1 }]);
  });
});
