import { describe, expect, it } from 'vitest';
import { mounted } from '../../mounted.js';
import { freshProject } from '../../support/client.js';
import { engine, onlyWhere } from '../../support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

onlyWhere('severalConnections', () => {
  describe('a writer that gets in line', () => {
    const host = mounted();

    it('writes nothing when the project is removed before it has the lock, because nothing would be locked', async () => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      // The claim fails because of another writer, and the lock because of a removal.
      const others = [
        () => host.methods.update(project, id, { ...ground, sort_order: 1 }),
        () => host.methods.removeProject(project),
      ];
      let isOther = false;

      const creating = host.dataSource.transaction(async (manager) => {
        const end = await engine.intercept(manager, async (sql, send) => {
          if (isOther || !/UPDATE \S*shipping_project/.test(sql)) return send();
          isOther = true;
          await others.shift()?.();
          isOther = false;
          return send();
        });
        await host.methods.create(project, express, { manager }).finally(end);
      });

      await expect(creating).rejects.toMatchObject({ code: 'database_unavailable', contention: 'race' });
      expect(others).toEqual([]);
      expect((await host.methods.list(project)).data).toEqual([]);
      expect(await host.methods.create(project, express)).toMatchObject(express);
    });
  });
});
