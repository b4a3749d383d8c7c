import { AsyncLocalStorage } from 'node:async_hooks';
import { OrderEvent, OrderEvents, ShippingMethod, ShippingProject } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../../mounted.js';
import { testApp } from '../../support/app.js';
import { freshProject, ground } from '../../support/client.js';
import { engine, onlyWhere } from '../../support/database.js';
import { renewRevision } from '../../support/rows.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

onlyWhere('severalConnections', () => {
  describe('a writer that waits for the lock of a project', () => {
    const host = mounted();

    it('tries again if somebody deletes the row of the project by hand meanwhile', async () => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      // The claim fails because of another writer, and the lock because the row is gone.
      const { dataSource } = await host.app.database.another();
      const others = [
        () => renewRevision(dataSource.manager, project),
        async () => {
          await dataSource.manager.delete(ShippingMethod, { id });
          await dataSource.manager.delete(ShippingProject, { projectId: project });
        },
      ];
      let isOther = false;
      const end = await engine.intercept(host.dataSource.manager, async (sql, send) => {
        if (isOther || !/UPDATE \S*shipping_project/.test(sql)) return send();
        isOther = true;
        await others.shift()?.();
        isOther = false;
        return send();
      });

      const created = await host.methods.create(project, express).finally(end);

      expect(others).toEqual([]);
      expect((await host.methods.list(project)).data).toEqual([created]);
      await dataSource.destroy();
    });
  });

  describe('an event whose dedupe_key is taken', () => {
    const host = mounted();

    it.each([true, false])(
      'is recorded when the other event is removed before it is read; in a transaction of the host: %s',
      async (isJoined) => {
        const event = [freshProject(), 'o', { type: 'order.paid', dedupe_key: 'once' }] as const;
        const first = await host.events.record(...event);
        const { dataSource } = await host.app.database.another();
        let isRemoved = false;
        const record = async (options?: { manager: EntityManager }) => {
          const end = await engine.intercept(host.dataSource.manager, async (sql, send) => {
            if (!isRemoved && /SELECT .*shipping_order_event/.test(sql)) {
              isRemoved = true;
              await dataSource.manager.delete(OrderEvent, { id: first.id });
            }
            return send();
          });
          return host.events.record(...event, options).finally(end);
        };

        const second = await (isJoined
          ? host.dataSource.transaction((manager) => record({ manager }))
          : record());

        expect(second).toMatchObject({ repeated: false });
        expect(await host.events.list(event[0], 'o')).toMatchObject([{ id: second.id }]);
        await dataSource.destroy();
      },
    );

    it.each([false, true])(
      'loses the race when the other event is removed and recorded again; in a transaction of the host: %s',
      async (isJoined) => {
        const event = [freshProject(), 'o', { type: 'order.paid', dedupe_key: 'once' }] as const;
        const first = await host.events.record(...event);
        const other = await host.app.database.another();
        const rival = await testApp({ database: other });
        const outside = AsyncLocalStorage.snapshot();
        const others = [
          // The first INSERT finds the old event, and the read does not.
          () => Promise.resolve(),
          () => other.dataSource.manager.delete(OrderEvent, { id: first.id }),
          () => outside(() => rival.nest.get(OrderEvents).record(...event)),
        ];
        let isOther = false;
        const record = async (options?: { manager: EntityManager }) => {
          const end = await engine.intercept(host.dataSource.manager, async (sql, send) => {
            if (isOther || !/shipping_order_event/.test(sql)) return send();
            isOther = true;
            await others.shift()?.();
            isOther = false;
            return send();
          });
          return host.events.record(...event, options).finally(end);
        };

        const recording = isJoined ? host.dataSource.transaction((manager) => record({ manager })) : record();
        const outcome = await recording.catch((error: unknown) => error);

        expect(outcome).toMatchObject(
          isJoined ? { code: 'database_unavailable', contention: 'race' } : { repeated: true },
        );
        expect(await host.events.list(event[0], 'o')).toHaveLength(1);
        await rival.close();
        await other.close();
      },
    );
  });
});
