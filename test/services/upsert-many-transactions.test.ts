import { AsyncLocalStorage } from 'node:async_hooks';
import {
  MethodInUseError,
  type ShippingMethodChange,
  ShippingMethods,
  ValidationFailedError,
} from 'nestjs-shipping';
import { type DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';
import { engine, type TestDatabase, testDatabase } from '../support/database.js';
import { watchStatements } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };
const saver = { carrier_code: 'ups', method_code: '65', method_label: 'UPS Saver' };

describe('upsertMany', () => {
  const ambient = new AsyncLocalStorage<EntityManager>();
  let app: TestApp;
  let methods: ShippingMethods;
  beforeAll(async () => {
    app = await testApp({ shipping: { entityManager: () => ambient.getStore() } });
    methods = app.nest.get(ShippingMethods);
    await engine.createCart(app.database.dataSource.manager);
  });
  afterAll(() => app?.close());

  /** Each swallows the refusal of the call, and commits. */
  const transactions = {
    "caller's": (dataSource: DataSource, call: (manager?: EntityManager) => Promise<unknown>) =>
      dataSource.transaction((manager) => call(manager).catch(() => undefined)),
    ambient: (dataSource: DataSource, call: () => Promise<unknown>) =>
      dataSource.transaction((manager) => ambient.run(manager, () => call().catch(() => undefined))),
  };

  const listed = async (project: string): Promise<string[]> =>
    (await methods.list(project)).data.map(({ method_code }) => method_code);

  it.each(['own', "caller's", 'ambient'] as const)(
    'stores all or nothing, and tells nobody of what is not stored: in the %s transaction',
    async (kind) => {
      const project = freshProject();
      await methods.upsertMany(project, [ground, express]);
      const before = await methods.list(project);
      const where = { project_id: project, method_code: saver.method_code };
      const { dataSource } = app.database;
      const allow = await engine.refuse(dataSource.manager, {
        table: 'shipping_method',
        on: 'INSERT',
        where,
        message: 'no savers',
      });
      const seen: ShippingMethodChange[] = [];
      const subscription = methods.changes.subscribe((change) => seen.push(change));
      const call = (manager?: EntityManager) =>
        methods.upsertMany(project, [{ ...ground, sort_order: 1 }, saver], { removeOthers: true, manager });

      // The caller must not be able to commit a part of the change.
      const committed = kind === 'own' ? call() : transactions[kind](dataSource, call);
      await expect(committed).rejects.toThrow(kind === 'own' ? 'no savers' : 'a statement in it had failed');
      await allow();
      subscription.unsubscribe();

      expect(seen).toEqual([]);
      expect(await methods.list(project)).toEqual(before);
    },
  );

  it.each(["caller's", 'ambient'] as const)('is undone by a rollback of the %s transaction', async (kind) => {
    const project = freshProject();
    await methods.upsertMany(project, [ground, express]);
    const before = await methods.list(project);
    const seen: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => seen.push(change));

    const rolledBack = app.database.dataSource.transaction(async (manager) => {
      const joined = kind === 'ambient' ? {} : { manager };
      const work = async (): Promise<void> => {
        await methods.upsertMany(project, [saver], { removeOthers: true, ...joined });
        const { data } = await methods.list(project, {}, joined);
        expect(data).toMatchObject([saver]);
      };
      await (kind === 'ambient' ? ambient.run(manager, work) : work());
      throw new Error('rollback');
    });

    await expect(rolledBack).rejects.toThrow('rollback');
    subscription.unsubscribe();
    expect(seen).toEqual([]);
    expect(await methods.list(project)).toEqual(before);
  });

  it("is committed with the caller's transaction, and tells of its changes then, in order with other calls", async () => {
    const project = freshProject();
    const seen: (string | undefined)[] = [];
    const subscription = methods.changes.subscribe(({ after }) => seen.push(after?.method_code));

    await app.database.dataSource.transaction(async (manager) => {
      await methods.create(project, ground, { manager });
      await methods.upsertMany(project, [express, ground, saver], { manager });
      await methods.upsertMany(project, [{ ...ground, sort_order: 1 }, saver, express], { manager });
      expect(seen).toEqual([]);
    });
    subscription.unsubscribe();

    expect(seen).toEqual(['03', '01', '65', '03']);
    expect(await listed(project)).toEqual(['01', '65', '03']);
  });

  it("leaves the caller's transaction usable when the requests are refused", async () => {
    const project = freshProject();

    await app.database.dataSource.transaction(async (manager) => {
      const refused = methods.upsertMany(project, [ground, ground], { manager });
      await expect(refused).rejects.toThrow(ValidationFailedError);
      await methods.upsertMany(project, [ground], { manager });
    });

    expect(await listed(project)).toEqual(['03']);
  });

  it('gives back objects of their own: what the caller does to them changes neither cache nor notification', async () => {
    const project = freshProject();
    const seen: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => seen.push(change));

    await app.database.dataSource.transaction(async (manager) => {
      const done = await methods.upsertMany(project, [ground], { manager });
      Object.assign(done.methods[0]?.meta ?? {}, { edited: true });
    });
    const { methods: again } = await methods.upsertMany(project, [ground]);
    Object.assign(again[0]?.meta ?? {}, { edited: true });
    subscription.unsubscribe();

    expect(seen).toMatchObject([{ after: { meta: {} } }]);
    expect((await methods.list(project)).data[0]?.meta).toEqual({});
  });

  it.each(['own', "caller's"] as const)(
    'with removeOthers removes and creates nothing while your foreign key refers to one of the others: in the %s transaction',
    async (kind) => {
      const project = freshProject();
      const { methods: stored } = await methods.upsertMany(project, [ground, express]);
      const before = await methods.list(project);
      const { dataSource } = app.database;
      await engine.putIntoCart(dataSource.manager, project, stored[0]?.id ?? '');
      const { sent, stop } = watchStatements(dataSource);
      const call = (manager?: EntityManager) =>
        methods.upsertMany(project, [saver], { removeOthers: true, manager });

      const committed = kind === 'own' ? call() : transactions[kind](dataSource, call);
      await expect(committed).rejects.toThrow(
        kind === 'own' ? MethodInUseError : 'a statement in it had failed',
      );
      stop();

      expect(sent.filter((sql) => /INSERT INTO \S*shipping_method\b/.test(sql))).toEqual([]);
      expect(await methods.list(project)).toEqual(before);
    },
  );

  it('with removeOthers keeps a method in use that a request names, and removes the rest', async () => {
    const project = freshProject();
    const { methods: stored } = await methods.upsertMany(project, [ground, express]);
    await engine.putIntoCart(app.database.dataSource.manager, project, stored[0]?.id ?? '');

    const { removed } = await methods.upsertMany(project, [ground, saver], { removeOthers: true });

    expect(removed).toMatchObject([express]);
    expect(await listed(project)).toEqual(['03', '65']);
  });
});

describe('upsertMany of two instances', () => {
  let database: TestDatabase;
  let apps: TestApp[];
  beforeAll(async () => {
    database = await testDatabase();
    apps = await Promise.all([0, 1].map(async () => testApp({ database: await database.another() })));
  });
  afterAll(async () => {
    for (const app of apps ?? []) await app.close();
    await database?.close();
  });

  it('racing with single writes loses none of them, and reports each method that it removes once', async () => {
    const project = freshProject();
    const [one, two] = apps.map(({ nest }) => nest.get(ShippingMethods)) as [
      ShippingMethods,
      ShippingMethods,
    ];
    const code = (method_code: string, sort_order = 0) => ({ ...ground, method_code, sort_order });
    const batch = (n: number) => Array.from({ length: 10 }, (_, index) => code(`batch${index}`, n));

    const single = Array.from({ length: 30 }, (_, n) => (n % 2 ? one : two).create(project, code(`${n}`)));
    const many = Array.from({ length: 12 }, (_, n) =>
      (n % 2 ? two : one).upsertMany(project, batch(n), { removeOthers: n % 3 === 0 }),
    );
    const [created, done] = await Promise.all([Promise.all(single), Promise.all(many)]);

    const removed = done.flatMap((each) => each.removed.map(({ id }) => id));
    const { data } = await one.list(project, { per_page: 100 });
    expect(new Set(removed).size).toBe(removed.length);
    expect(data.filter(({ method_code }) => method_code.startsWith('batch'))).toHaveLength(10);
    expect(new Set(data.filter((each) => !each.method_code.startsWith('batch')).map(({ id }) => id))).toEqual(
      new Set(created.map(({ id }) => id).filter((id) => !removed.includes(id))),
    );
    // Each call has changed all ten, or created them: no call has seen a part of another one.
    expect(
      new Set(data.filter((each) => each.method_code.startsWith('batch')).map((each) => each.version)),
    ).toEqual(new Set([12]));
    expect(await two.list(project, { per_page: 100 })).toEqual(await one.list(project, { per_page: 100 }));
  });
});
