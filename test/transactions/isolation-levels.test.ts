import { DuplicateMethodError, ShippingMethodsService } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { testApp } from '../support/app.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, testDatabase } from '../support/database.js';

onlyWhere('severalConnections', () => {
  describe.each(engine.isolationLevels)('a host whose transactions are %s by default', (isolation) => {
    it('can change methods as usual', async () => {
      const database = await testDatabase({ isolation });
      const own = await testApp({ database });
      const service = own.nest.get(ShippingMethodsService);
      const project = freshProject();
      const codes = Array.from({ length: 60 }, (_, n) => ({ ...ground, method_code: `m${n}` }));

      const made = await Promise.all(codes.map((each) => service.create(project, each)));
      const again = await Promise.allSettled(codes.map((each) => service.create(project, each)));
      const changed = await Promise.all(
        made.map(({ id, method_code }) =>
          service.update(project, id, { ...ground, method_code, sort_order: 1 }),
        ),
      );
      await Promise.all(changed.slice(1).map(({ id }) => service.remove(project, id)));

      for (const outcome of again)
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(DuplicateMethodError);
      expect((await service.list(project)).meta.total).toBe(1);
      await own.close();
      await database.close();
    });

    it('completes every call when four instances change one project', async () => {
      const database = await testDatabase({ isolation, connections: 2 });
      const apps = await Promise.all(
        Array.from({ length: 4 }, async () => testApp({ database: await database.another() })),
      );
      const services = apps.map(({ nest }) => nest.get(ShippingMethodsService));
      const project = freshProject();

      const created = services.map(async (service, instance) => {
        for (let n = 0; n < 25; n++)
          await service.create(project, { ...ground, method_code: `m${instance}-${n}` });
      });
      await Promise.all(created);

      expect((await services[0]?.list(project))?.meta.total).toBe(100);
      for (const app of apps) await app.close();
      await database.close();
    });
  });
});
