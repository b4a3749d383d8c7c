import { AsyncLocalStorage } from 'node:async_hooks';
import { ShippingMethod, type ShippingMethodChange } from 'nestjs-shipping';
import { type DataSource, type EntityManager, type EntitySubscriberInterface } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { methodsOf } from '../support/changes.js';
import { engine } from '../support/database.js';
import { twoInstances } from '../support/two-instances.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };
const saver = { carrier_code: 'ups', method_code: '65', method_label: 'UPS Saver' };

describe('upsertMany', () => {
  const ambient = new AsyncLocalStorage<EntityManager>();
  const host = mounted({ shipping: { entityManager: () => ambient.getStore() } });

  /** Each transaction ignores the error of the call, and commits. */
  const transactions = {
    "caller's": (dataSource: DataSource, call: (manager?: EntityManager) => Promise<unknown>) =>
      dataSource.transaction((manager) => call(manager).catch(() => undefined)),
    ambient: (dataSource: DataSource, call: () => Promise<unknown>) =>
      dataSource.transaction((manager) => ambient.run(manager, () => call().catch(() => undefined))),
  };

  const listed = async (project: string): Promise<string[]> =>
    (await host.methods.list(project)).data.map(({ method_code }) => method_code);

  it.each(['own', "caller's", 'ambient'] as const)(
    'stores all or nothing, and reports nothing that is not stored: in the %s transaction',
    async (kind) => {
      const project = freshProject();
      await host.methods.upsertMany(project, [ground, express]);
      const before = await host.methods.list(project);
      const where = { project_id: project, method_code: saver.method_code };
      const { dataSource } = host.app.database;
      const allow = await engine.refuse(dataSource.manager, {
        table: 'shipping_method',
        on: 'INSERT',
        where,
        message: 'no savers',
      });
      const seen: ShippingMethodChange[] = [];
      const subscription = host.methods.changes.subscribe((change) => seen.push(change));
      const call = (manager?: EntityManager) =>
        host.methods.upsertMany(project, [{ ...ground, sort_order: 1 }, saver], {
          removeOthers: true,
          manager,
        });

      // The caller must not be able to commit a part of the change.
      const committed = kind === 'own' ? call() : transactions[kind](dataSource, call);
      await expect(committed).rejects.toThrow(
        kind === 'own' ? 'no savers' : 'has failed. Roll the transaction back',
      );
      await allow();
      subscription.unsubscribe();

      expect(seen).toEqual([]);
      expect(await host.methods.list(project)).toEqual(before);
    },
  );

  it('that finds one of its methods gone prevents the COMMIT of the transaction', async () => {
    const project = freshProject();
    await host.methods.upsertMany(project, [ground, express]);
    const { dataSource } = host.app.database;
    const removing: EntitySubscriberInterface = {
      listenTo: () => ShippingMethod,
      beforeUpdate: ({ manager }) =>
        manager.delete(ShippingMethod, { projectId: project, methodCode: express.method_code }),
    };
    dataSource.subscribers.push(removing);

    const committed = transactions["caller's"](dataSource, (manager) =>
      host.methods.upsertMany(
        project,
        [ground, express].map((method) => ({ ...method, sort_order: 1 })),
        {
          manager,
        },
      ),
    ).finally(() => dataSource.subscribers.splice(dataSource.subscribers.indexOf(removing), 1));

    await expect(committed).rejects.toThrow('has failed. Roll the transaction back');
    const { data } = await host.methods.list(project);
    expect(data.map(({ version }) => version)).toEqual([1, 1]);
  });

  it('reports its changes after the COMMIT of the caller, in the order of the calls', async () => {
    const project = freshProject();
    const seen: (string | undefined)[] = [];
    const subscription = host.methods.changes.subscribe(({ after }) => seen.push(after?.method_code));

    await host.dataSource.transaction(async (manager) => {
      await host.methods.create(project, ground, { manager });
      await host.methods.upsertMany(project, [express, ground, saver], { manager });
      await host.methods.upsertMany(project, [{ ...ground, sort_order: 1 }, saver, express], { manager });
      expect(seen).toEqual([]);
    });
    subscription.unsubscribe();

    expect(seen).toEqual(['03', '01', '65', '03']);
    expect(await listed(project)).toEqual(['01', '65', '03']);
  });
});

describe('upsertMany of two instances', () => {
  const instances = twoInstances();

  it('racing with single writes loses no write, and reports each removal once', async () => {
    const project = freshProject();
    const [one, two] = instances.methods;
    const code = (method_code: string, sort_order = 0) => ({ ...ground, method_code, sort_order });
    const batch = (n: number) => Array.from({ length: 10 }, (_, index) => code(`batch${index}`, n));

    const single = Array.from({ length: 30 }, (_, n) => (n % 2 ? one : two).create(project, code(`${n}`)));
    const many = Array.from({ length: 12 }, (_, n) =>
      (n % 2 ? two : one).upsertMany(project, batch(n), { removeOthers: n % 3 === 0 }),
    );
    const [created, done] = await Promise.all([Promise.all(single), Promise.all(many)]);

    const removed = done.flatMap(({ changes }) => methodsOf(changes, 'removed').map(({ id }) => id));
    const { data } = await one.list(project, { per_page: 100 });
    expect(new Set(removed).size).toBe(removed.length);
    expect(data.filter(({ method_code }) => method_code.startsWith('batch'))).toHaveLength(10);
    expect(new Set(data.filter((each) => !each.method_code.startsWith('batch')).map(({ id }) => id))).toEqual(
      new Set(created.map(({ id }) => id).filter((id) => !removed.includes(id))),
    );
    // Each call has created or changed all ten methods. So no call has seen a part of another call.
    expect(
      new Set(data.filter((each) => each.method_code.startsWith('batch')).map((each) => each.version)),
    ).toEqual(new Set([12]));
    expect(await two.list(project, { per_page: 100 })).toEqual(await one.list(project, { per_page: 100 }));
  });
});
