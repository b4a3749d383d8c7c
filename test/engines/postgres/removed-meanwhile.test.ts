import { ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';
import { freshProject } from '../../support/client.js';
import { engine, onlyWhere } from '../../support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

onlyWhere('severalConnections', () => {
  describe('a writer that gets in line', () => {
    let app: TestApp;
    let methods: ShippingMethods;
    beforeAll(async () => {
      app = await testApp();
      methods = app.nest.get(ShippingMethods);
    });
    afterAll(() => app?.close());

    it('writes nothing when the project is removed before it has the lock, because nothing would be locked', async () => {
      const project = freshProject();
      const { id } = await methods.create(project, ground);
      // The claim fails because of another writer, and the lock because of a removal.
      const others = [
        () => methods.update(project, id, { ...ground, sort_order: 1 }),
        () => methods.removeProject(project),
      ];
      let isOther = false;

      const creating = app.database.dataSource.transaction(async (manager) => {
        const end = await engine.intercept(manager, async (sql, send) => {
          if (isOther || !/UPDATE \S*shipping_project/.test(sql)) return send();
          isOther = true;
          await others.shift()?.();
          isOther = false;
          return send();
        });
        await methods.create(project, express, { manager }).finally(end);
      });

      await expect(creating).rejects.toMatchObject({ code: 'database_unavailable', contention: 'race' });
      expect(others).toEqual([]);
      expect((await methods.list(project)).data).toEqual([]);
      expect(await methods.create(project, express)).toMatchObject(express);
    });
  });
});
