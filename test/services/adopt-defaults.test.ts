import { AsyncLocalStorage } from 'node:async_hooks';
import { type ShippingMethodChange, ShippingMethodsService, TooManyMethodsError } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { onlyWhere, engine } from '../support/database.js';
import { watchStatements } from '../support/statements.js';
import { twoInstances } from '../support/two-instances.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };
const saver = { carrier_code: 'ups', method_code: '65', method_label: 'UPS Saver', is_active: false };
const defaults = [ground, { ...express, meta: { days: 1 }, sort_order: 5 }, saver];

describe('adoptDefaults', () => {
  const ambient = new AsyncLocalStorage<EntityManager>();
  const instances = twoInstances({ maxMethods: 4, entityManager: () => ambient.getStore() });
  let methods: ShippingMethodsService;
  beforeAll(async () => {
    [methods] = instances.methods;
    await methods.upsertMany('default', defaults);
  });

  it('gives a new project a method with use_default for each default, in one INSERT', async () => {
    const project = freshProject();
    const { sent, stop } = watchStatements(instances.apps[0].database.dataSource);

    const { methods: created, changes } = await methods.adoptDefaults(project);
    stop();

    expect(created).toHaveLength(3);
    expect(created).toMatchObject([
      { ...ground, use_default: true, version: 1, project_id: project },
      // The project shows the method as soon as the default is active.
      { ...saver, use_default: true, own: { is_active: true } },
      { ...express, meta: { days: 1 }, sort_order: 5, use_default: true },
    ]);
    expect((await methods.list(project)).data).toEqual(created);
    expect(changes).toEqual(created.map((after) => ({ type: 'created', before: null, after })));
    expect(sent.filter((sql) => /INSERT INTO \S*shipping_method\b/.test(sql))).toHaveLength(1);
  });

  it('leaves existing methods alone, and creates nothing when it is called again', async () => {
    const project = freshProject();
    const own = await methods.create(project, { ...ground, method_label: 'Own' });
    const { methods: created } = await methods.adoptDefaults(project);
    const seen: ShippingMethodChange[] = [];
    const subscription = methods.changes.subscribe((change) => seen.push(change));

    const again = await methods.adoptDefaults(project);
    subscription.unsubscribe();

    expect(created.map(({ method_code }) => method_code)).toEqual(['65', '01']);
    expect([again, seen]).toEqual([{ methods: [], changes: [] }, []]);
    expect(await methods.find(project, own.id)).toEqual(own);
  });

  it('gives a project a default whose codes it has in another case', async () => {
    const project = freshProject();
    await methods.create(project, { ...ground, carrier_code: 'UPS' });

    const { methods: created } = await methods.adoptDefaults(project);

    expect(created).toMatchObject([ground, saver, express]);
  });

  it('creates nothing in the defaults project', async () => {
    expect((await methods.adoptDefaults('default')).changes).toEqual([]);
  });

  it('creates nothing when the project would hold too many methods', async () => {
    const project = freshProject();
    await methods.upsertMany(
      project,
      ['a', 'b'].map((method_code) => ({ ...ground, method_code })),
    );

    await expect(methods.adoptDefaults(project)).rejects.toThrow(TooManyMethodsError);

    expect((await methods.list(project)).meta.total).toBe(2);
  });

  it.each(["caller's", 'ambient'] as const)(
    'sees the defaults of the %s transaction, and is undone by its rollback',
    async (kind) => {
      const project = freshProject();
      const seen: ShippingMethodChange[] = [];
      const subscription = methods.changes.subscribe((change) => seen.push(change));
      const { dataSource } = instances.apps[0].database;

      const rolledBack = dataSource.transaction(async (manager) => {
        const joined = kind === 'ambient' ? {} : { manager };
        const work = async (): Promise<void> => {
          await methods.create('default', { ...ground, method_code: 'new' }, joined);
          expect((await methods.adoptDefaults(project, joined)).changes).toHaveLength(4);
        };
        await (kind === 'ambient' ? ambient.run(manager, work) : work());
        throw new Error('rollback');
      });

      await expect(rolledBack).rejects.toThrow('rollback');
      subscription.unsubscribe();
      expect(seen).toEqual([]);
      expect((await methods.list(project)).meta.total).toBe(0);
    },
  );

  it('belongs to one nested transaction with the read of the defaults, and is undone with it', async () => {
    const project = freshProject();
    const { dataSource } = instances.apps[0].database;

    await dataSource.transaction(async (manager) => {
      let adopting: Promise<unknown> | undefined;
      const undone = manager.transaction((nested) => {
        adopting = methods.adoptDefaults(project, { manager: nested });
        return Promise.reject(new Error('undo'));
      });
      await expect(undone).rejects.toThrow('undo');
      await adopting;
    });

    expect((await methods.list(project)).meta.total).toBe(0);
  });

  it('creates each method once, when two instances call it beside single creates', async () => {
    const project = freshProject();
    const both = instances.methods;

    const calls = Array.from({ length: 10 }, (_, n) => both[n % 2]?.adoptDefaults(project));
    const single = both.map((each) => each.create(project, ground).catch(() => undefined));
    const adopted = (await Promise.all(calls)).flatMap((result) => result?.methods ?? []);
    const created = [...adopted, ...(await Promise.all(single))];

    const { data } = await methods.list(project);
    expect(created.flatMap((method) => method?.id ?? []).toSorted()).toEqual(
      data.map(({ id }) => id).toSorted(),
    );
    expect(data.map(({ method_code }) => method_code).toSorted()).toEqual(['01', '03', '65']);
  });

  onlyWhere('severalConnections', () => {
    it('waits for a writer in a transaction, and sees its commit or loses the race', async () => {
      const project = freshProject();
      const [holding, waiting] = instances.apps;
      let adopting: Promise<unknown> = Promise.resolve();

      await holding.database.dataSource.transaction(async (holder) => {
        await methods.create(project, ground, { manager: holder });
        const adopt = (): Promise<unknown> =>
          waiting.database.dataSource.transaction((manager) =>
            waiting.nest.get(ShippingMethodsService).adoptDefaults(project, { manager }),
          );
        // On MariaDB the snapshot is older than the commit, so the host repeats its transaction.
        adopting = adopt().catch((error: { contention?: string }) =>
          error.contention === 'race' ? adopt() : Promise.reject(error),
        );
        await engine.someoneWaitsFor(holder);
      });

      expect(await adopting).toMatchObject({ methods: [saver, express] });
      expect((await methods.list(project)).meta.total).toBe(3);
    });
  });
});
