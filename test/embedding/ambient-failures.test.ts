import { AsyncLocalStorage } from 'node:async_hooks';
import { type NestInterceptor } from '@nestjs/common';
import { ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { from, lastValueFrom } from 'rxjs';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, typeOrm } from './host.js';

onlyWhere('lostRaces', () => {
  describe('a lost race in an ambient transaction', () => {
    let database: TestDatabase;
    let host: Host;
    let methods: ShippingMethodsService;
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
      database = await testDatabase({ lockTimeoutMs: 100 });
      const mounted = await compiled([
        typeOrm(database),
        ShippingModule.forRoot({ entityManager: () => ambient.getStore() }),
      ]);
      host = await listening(mounted, (app) => app.useGlobalInterceptors(inTransaction));
      methods = host.app.get(ShippingMethodsService);
      // These triggers give the error that a server gives when two transactions conflict.
      const { manager } = database.dataSource;
      for (const conflict of engine.conflicts) {
        const method = { table: 'shipping_method', where: { method_label: conflict } } as const;
        await engine.refuse(manager, { ...method, on: 'INSERT', message: 'lost', conflict });
        await engine.refuse(manager, { ...method, on: 'UPDATE', message: 'lost', conflict });
      }
    });
    afterAll(async () => {
      host?.app.getHttpServer().close();
      await database?.close();
    });

    it.each(engine.conflicts)('(%s) gets a 503 and Retry-After', async (code) => {
      const shop = new Client(host.origin, freshProject());
      const { id } = (await shop.create(ground)).body;

      const responses = [
        await shop.create({ ...ground, method_code: '01', method_label: code }),
        await shop.update(id, { ...ground, method_label: code }),
      ];

      for (const { status, headers, body } of responses) {
        expect([status, body.code]).toEqual([503, 'database_unavailable']);
        expect(headers.get('retry-after')).toMatch(/^[123]$/);
      }
      expect((await methods.list(shop.project)).data).toMatchObject([ground]);
    });

    onlyWhere('severalConnections', () => {
      it('by a lock time-out gets a 503 on each route that writes', async () => {
        const shop = new Client(host.origin, freshProject());
        const { id } = (await shop.create(ground)).body;

        const responses = await database.dataSource.transaction(async (manager) => {
          await methods.update(shop.project, id, { ...ground, sort_order: 1 }, { manager });
          return [
            await shop.create({ ...ground, method_code: '01' }),
            await shop.update(id, { ...ground, sort_order: 2 }),
            await shop.update(id, { ...ground, method_code: '02' }),
            await shop.remove(id),
          ];
        });

        expect(responses.map(({ status }) => status)).toEqual(Array(4).fill(503));
        expect(responses.map(({ body }) => body.code)).toEqual(Array(4).fill('database_unavailable'));
        expect((await methods.list(shop.project)).data).toMatchObject([
          { ...ground, version: 2, sort_order: 1 },
        ]);
      });
    });
  });
});
