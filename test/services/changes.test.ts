import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type ShippingMethodChange, ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';
import { engine, testDatabase } from '../support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('the stream of changes', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  let seen: ShippingMethodChange[];
  let stop: () => void;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());
  beforeEach(() => {
    seen = [];
    const subscription = methods.changes.subscribe((change) => seen.push(change));
    stop = () => subscription.unsubscribe();
  });
  afterEach(() => stop());

  it('reports each committed change, but no update that changes nothing', async () => {
    const project = freshProject();

    const created = await methods.create(project, ground);
    await methods.update(project, created.id, ground);
    const updated = await methods.update(project, created.id, { ...ground, sort_order: 1 });
    await methods.remove(project, created.id);

    expect(seen).toEqual([
      { type: 'created', before: null, after: created },
      { type: 'updated', before: created, after: updated },
      { type: 'deleted', before: updated, after: null },
    ]);
  });

  it('reports the values that a method with use_default shows, but no update that changes nothing', async () => {
    const project = freshProject();
    await methods.create('default', { ...ground, method_label: 'Default' });
    const created = await methods.create(project, { ...ground, use_default: true });
    seen = [];

    await methods.update(project, created.id, { ...ground, method_label: 'Default' });
    const updated = await methods.update(project, created.id, {
      ...ground,
      method_label: 'Default',
      is_active: false,
    });
    await methods.remove(project, created.id);

    expect([created, updated].map(({ method_label }) => method_label)).toEqual(['Default', 'Default']);
    expect(seen).toEqual([
      { type: 'updated', before: created, after: updated },
      { type: 'deleted', before: updated, after: null },
    ]);
  });

  it('waits for the outermost commit', async () => {
    const project = freshProject();

    await app.database.dataSource.transaction(async (manager) => {
      await manager.transaction((inner) => methods.create(project, ground, { manager: inner }));
      await methods.create(project, { ...ground, method_code: '01' }, { manager });
      expect(seen).toEqual([]);
    });

    expect(seen.map(({ after }) => after?.method_code)).toEqual(['03', '01']);
  });

  it('does not report changes that were rolled back, in whole or to a savepoint', async () => {
    const project = freshProject();
    const { dataSource } = app.database;

    await dataSource
      .transaction(async (manager) => {
        await methods.create(project, ground, { manager });
        throw new Error('all of it');
      })
      .catch(() => undefined);
    await dataSource.transaction(async (manager) => {
      await manager
        .transaction(async (inner) => {
          await methods.create(project, { ...ground, method_code: 'lost' }, { manager: inner });
          throw new Error('this part');
        })
        .catch(() => undefined);
      await methods.create(project, { ...ground, method_code: 'kept' }, { manager });
    });

    expect(seen.map(({ type, after }) => [type, after?.method_code])).toEqual([['created', 'kept']]);
  });

  it('reports changes in order after the commit, even when a nested transaction between them fails', async () => {
    const project = freshProject();

    await app.database.dataSource.transaction(async (manager) => {
      await methods.create(project, { ...ground, method_code: 'before' }, { manager });
      await manager.transaction((inner) =>
        methods.create(project, { ...ground, method_code: 'nested' }, { manager: inner }),
      );
      await manager
        .transaction(async (inner) => {
          await methods.create(project, { ...ground, method_code: 'lost' }, { manager: inner });
          throw new Error('this part');
        })
        .catch(() => undefined);
      await methods.create(project, { ...ground, method_code: 'after' }, { manager });
      expect(seen).toEqual([]);
    });

    expect(seen.map(({ after }) => after?.method_code)).toEqual(['before', 'nested', 'after']);
  });

  it.each([
    ['none', ['outer', 'middle', 'inner']],
    ['inner', ['outer', 'middle']],
    ['middle', ['outer']],
    ['outer', []],
  ])('of three nested transactions of which %s is rolled back reports %j', async (failing, kept) => {
    const project = freshProject();
    type Work = (manager: EntityManager) => Promise<void>;
    const level =
      (method_code: string, next?: Work): Work =>
      async (manager) => {
        await methods.create(project, { ...ground, method_code }, { manager });
        if (next) await manager.transaction(next).catch(() => undefined);
        if (method_code === failing) throw new Error('rollback');
      };

    const work = level('outer', level('middle', level('inner')));
    await app.database.dataSource.transaction(work).catch(() => undefined);

    const { data } = await methods.list(project);
    expect(seen.map(({ after }) => after?.method_code)).toEqual(kept);
    expect(data.map(({ method_code }) => method_code)).toEqual(kept.toSorted());
  });

  it.each(['create', 'update', 'upsert', 'remove'] as const)(
    'reports to a subscriber that comes before the commit what %s stored, whatever the caller does to it',
    async (write) => {
      const project = freshProject();
      const { id } = await methods.create(project, ground);
      const late: ShippingMethodChange[] = [];
      const changed = { ...ground, method_label: 'Changed' };
      stop();

      const stored = await app.database.dataSource.transaction(async (manager) => {
        const returned = await {
          create: () => methods.create(project, { ...changed, method_code: '01' }, { manager }),
          update: () => methods.update(project, id, changed, { manager }),
          upsert: () => methods.upsert(project, changed, { manager }),
          remove: () => methods.remove(project, id, { manager }),
        }[write]();
        const before = structuredClone(returned);
        const subscription = methods.changes.subscribe((change) => late.push(change));
        stop = () => subscription.unsubscribe();
        returned.method_label = 'edited';
        return before;
      });

      expect(late.map(({ before, after }) => after ?? before)).toEqual([stored]);
    },
  );

  it('reports what was stored, and returns it, whatever the caller or a subscriber does to the objects', async () => {
    const project = freshProject();
    const editing = methods.changes.subscribe(({ after }) => Object.assign(after ?? {}, { meta: 'edited' }));

    await app.database.dataSource.transaction(async (manager) => {
      Object.assign(await methods.create(project, ground, { manager }), { method_label: 'edited' });
    });
    const returned = await methods.create(project, { ...ground, method_code: '01' });
    editing.unsubscribe();

    expect(seen[0]?.after?.method_label).toBe('UPS Ground');
    expect(returned.meta).toEqual({});
  });

  it('does not report changes whose COMMIT fails', async () => {
    const { dataSource } = app.database;
    await engine.prepareFailingCommits(dataSource.manager);
    const lost = freshProject();
    const kept = freshProject();

    const committed = dataSource.transaction(async (manager) => {
      await methods.create(lost, ground, { manager });
      await engine.failCommit(manager);
    });
    await expect(committed).rejects.toThrow(engine.commitFailure);
    await dataSource.transaction((manager) => methods.create(kept, ground, { manager }));

    expect(seen.map(({ after }) => after?.project_id)).toEqual([kept]);
    expect((await methods.list(lost)).meta.total).toBe(0);
  });

  it('reports at once what the manager of a query runner stores without a transaction', async () => {
    const runner = app.database.dataSource.createQueryRunner();
    const [lost, kept, after] = [freshProject(), freshProject(), freshProject()];

    for (const [project, end] of [
      [lost, 'rollbackTransaction'],
      [kept, 'commitTransaction'],
    ] as const) {
      await runner.startTransaction();
      await methods.create(project, ground, { manager: runner.manager });
      await runner[end]();
    }
    await methods.create(after, ground, { manager: runner.manager });
    const told = seen.map((change) => change.after?.project_id);
    await runner.release();

    expect(told).toEqual([kept, after]);
  });

  it('does not report a refused change', async () => {
    const project = freshProject();
    await methods.create(project, ground);
    seen = [];

    await methods.create(project, ground).catch(() => undefined);

    expect(seen).toEqual([]);
  });
});

it('the stream of changes works on a DataSource that is initialized late, and initialized again', async () => {
  const database = await testDatabase();
  // The embedded database has one connection.
  await database.dataSource.destroy();
  const testing = await Test.createTestingModule({
    imports: [
      TypeOrmModule.forRootAsync({
        useFactory: () => ({ ...database.options, manualInitialization: true }),
      }),
      ShippingModule.forRoot({ isGlobal: true }),
    ],
  }).compile();
  const dataSource = testing.get(DataSource);
  await dataSource.initialize();
  await testing.init();
  const methods = testing.get(ShippingMethods);
  const seen: string[] = [];
  methods.changes.subscribe(({ type }) => seen.push(type));
  const rolledBack = (): Promise<unknown> =>
    dataSource.transaction(async (manager) => {
      await methods.create(freshProject(), ground, { manager });
      throw new Error('rollback');
    });

  await expect(rolledBack()).rejects.toThrow('rollback');
  await dataSource.destroy();
  await dataSource.initialize();
  await expect(rolledBack()).rejects.toThrow('rollback');
  await dataSource.transaction((manager) => methods.create(freshProject(), ground, { manager }));
  expect(seen).toEqual(['created']);

  // The first call after each initialization is in a nested transaction.
  const nested = (fails: boolean): Promise<unknown> =>
    dataSource.transaction(async (manager) => {
      await manager.transaction((inner) => methods.create(freshProject(), ground, { manager: inner }));
      expect(seen).toEqual(['created']);
      if (fails) throw new Error('rollback');
    });
  for (const fails of [true, false]) {
    await dataSource.destroy();
    await dataSource.initialize();
    await nested(fails).catch(() => undefined);
  }

  expect(seen).toEqual(['created', 'created']);
  await testing.close();
  await database.close();
});
