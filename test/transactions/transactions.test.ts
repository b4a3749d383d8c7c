import { setTimeout as delay } from 'node:timers/promises';
import {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  OrderEvents,
  ShippingMethods,
  VersionMismatchError,
} from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { engine, onlyWhere, testDatabase } from '../support/database.js';
import { anyStatement, watchStatements } from '../support/statements.js';

const event = { orderId: 'o', type: 'order.placed', dedupeKey: 'once' };
const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe("a sibling module's transaction", () => {
  let app: TestApp;
  let methods: ShippingMethods;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
    await engine.createCart(app.database.dataSource.manager);
  });
  afterAll(() => app?.close());

  it('sees its own writes, and a rollback undoes all of them: rows, counts and revision', async () => {
    const project = freshProject();
    await methods.create(project, ground);
    const before = await methods.list(project);
    const shop = new Client(app.origin, project);
    const etag = (await shop.list()).headers.get('etag');

    const rolledBack = app.database.dataSource.transaction(async (manager) => {
      const { id } = await methods.create(project, { ...ground, method_code: '01' }, { manager });
      await methods.update(project, id, { ...ground, method_code: '02', use_default: true }, { manager });
      await methods.upsert(project, { ...ground, method_label: 'Changed' }, { manager });
      expect((await methods.list(project, {}, { manager })).meta.total).toBe(2);
      expect(await methods.list(project, {}, { manager })).not.toEqual(before);
      throw new Error('rollback');
    });

    await expect(rolledBack).rejects.toThrow('rollback');
    expect(await methods.list(project)).toMatchObject({ data: [ground], meta: { total: 1 } });
    expect(await methods.list(project)).toEqual(before);
    expect((await shop.list()).headers.get('etag')).toBe(etag);
  });

  it.each(['create', 'update', 'upsert', 'remove'] as const)(
    'undoes a single %s with a rollback',
    async (write) => {
      const project = freshProject();
      const { id } = await methods.create(project, ground);
      const before = await methods.list(project);
      const changed = { ...ground, method_label: 'Changed' };

      const rolledBack = app.database.dataSource.transaction(async (manager) => {
        if (write === 'create') await methods.create(project, { ...ground, method_code: '01' }, { manager });
        else if (write === 'update') await methods.update(project, id, changed, { manager });
        else if (write === 'upsert') await methods.upsert(project, changed, { manager });
        else await methods.remove(project, id, { manager });
        throw new Error('rollback');
      });

      await expect(rolledBack).rejects.toThrow('rollback');
      expect(await methods.list(project)).toEqual(before);
    },
  );

  onlyWhere('connections', () => {
    it.each<[call: string, (project: string, manager: EntityManager) => Promise<unknown>]>([
      ['create', (project, manager) => methods.create(project, ground, { manager })],
      ['list', (project, manager) => methods.list(project, {}, { manager })],
      ['find', (project, manager) => methods.findByCodes(project, 'ups', '03', { manager })],
      [
        'event',
        (projectId, manager) => app.nest.get(OrderEvents).record({ ...event, projectId }, { manager }),
      ],
    ])('cannot be joined when its connection is back in the pool: %s', async (_call, call) => {
      const project = freshProject();
      const runner = app.database.dataSource.createQueryRunner();
      await runner.connect();
      await runner.release();

      const late = call(project, runner.manager);

      await expect(late).rejects.toMatchObject({ code: 'database_unavailable' });
      expect((await methods.list(project)).meta.total).toBe(0);
      expect(await app.nest.get(OrderEvents).list(project, event.orderId)).toEqual([]);
    });
  });

  it('stays usable after each refusal that the caller catches', async () => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);

    await app.database.dataSource.transaction(async (manager) => {
      const other = await methods.create(project, { ...ground, method_code: '01' }, { manager });
      await expect(methods.create(project, ground, { manager })).rejects.toThrow(DuplicateMethodError);
      await expect(methods.update(project, other.id, ground, { manager })).rejects.toThrow(
        DuplicateMethodError,
      );
      await expect(methods.remove(project, 'nothing', { manager })).rejects.toThrow(MethodNotFoundError);
      await expect(methods.remove(project, id, { manager, etags: ['"7"'] })).rejects.toThrow(
        VersionMismatchError,
      );
    });

    const { meta } = await methods.list(project);
    expect(meta.total).toBe(2);
  });

  it.each(['create', 'upsert', 'update', 'upsert of what exists'] as const)(
    'gives the times of its changes, not of its beginning: %s',
    async (write) => {
      const project = freshProject();
      const old = await methods.create(project, ground);
      const [changed, fresh] = [
        { ...ground, sort_order: 1 },
        { ...ground, method_code: '01' },
      ];

      const { began, method } = await app.database.dataSource.transaction(async (manager) => {
        const at = await engine.beganAt(manager);
        await delay(20);
        const writing = {
          create: () => methods.create(project, fresh, { manager }),
          upsert: () => methods.upsert(project, fresh, { manager }),
          update: () => methods.update(project, old.id, changed, { manager }),
          'upsert of what exists': () => methods.upsert(project, changed, { manager }),
        };
        return { began: at, method: await writing[write]() };
      });

      expect(Date.parse(method.updated_at)).toBeGreaterThan(began.getTime());
      expect(method.created_at).toBe(method.id === old.id ? old.created_at : method.updated_at);
    },
  );

  type Call = (project: string, id: string, manager: EntityManager) => Promise<unknown>;

  it.each<[string, Call]>([
    [
      'create',
      (project, _, manager) => methods.create(project, { ...ground, method_code: '01' }, { manager }),
    ],
    ['refused create', (project, _, manager) => methods.create(project, ground, { manager }).catch(() => 0)],
    [
      'update',
      (project, id, manager) => methods.update(project, id, { ...ground, sort_order: 1 }, { manager }),
    ],
    [
      'change of codes',
      (project, id, manager) => methods.update(project, id, { ...ground, method_code: '02' }, { manager }),
    ],
    ['upsert', (project, _, manager) => methods.upsert(project, { ...ground, sort_order: 2 }, { manager })],
    ['remove', (project, id, manager) => methods.remove(project, id, { manager })],
    ['tree', (project, _, manager) => methods.tree(project, { manager })],
    ['find', (project, id, manager) => methods.find(project, id, { manager })],
    [
      'event',
      (projectId, _, manager) => app.nest.get(OrderEvents).record({ ...event, projectId }, { manager }),
    ],
    ['history', (project, _, manager) => app.nest.get(OrderEvents).list(project, 'o', { manager })],
  ])(
    'has the settings that the caller gave it, such as its lock time-out, after: %s',
    async (_name, call) => {
      const project = freshProject();
      const { id } = await methods.create(project, ground);

      const [before, after] = await app.database.dataSource.transaction(async (manager) => {
        return engine.withLockTimeout(manager, 7000, async () => {
          const own = await engine.settings(manager);
          await call(project, id, manager);
          return [own, await engine.settings(manager)];
        });
      });

      expect(after).toEqual(before);
    },
  );

  it('contains no savepoint of ours', async () => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    const { sent, stop } = watchStatements(app.database.dataSource);

    await app.database.dataSource.transaction(async (manager) => {
      await methods.create(project, ground, { manager }).catch(() => undefined);
      await methods.update(project, id, { ...ground, method_code: '01' }, { manager });
      await methods.upsert(project, ground, { manager });
      await methods.remove(project, id, { manager });
      await app.nest.get(OrderEvents).record({ ...event, projectId: project }, { manager });
    });
    stop();

    expect(sent.filter((sql) => sql.includes('SAVEPOINT'))).toEqual([]);
    expect(sent.length).toBeGreaterThan(6);
  });

  onlyWhere('failedTransactions', () => {
    it('cannot be committed after a foreign key of the host has refused a delete', async () => {
      const project = freshProject();
      const { id } = await methods.create(project, ground);
      const { dataSource } = app.database;
      await engine.putIntoCart(dataSource.manager, project, id);
      const told: unknown[] = [];
      const subscription = methods.changes.subscribe((change) => told.push(change));

      const committing = dataSource.transaction(async (manager) => {
        await methods.create(project, { ...ground, method_code: '01' }, { manager });
        await expect(methods.remove(project, id, { manager })).rejects.toThrow(MethodInUseError);
      });

      await expect(committing).rejects.toThrow('a statement in it had failed');
      subscription.unsubscribe();
      expect(told).toEqual([]);
      expect((await methods.list(project)).meta.total).toBe(1);
    });
  });

  it('can be committed after the same refusal in a nested transaction', async () => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    const { dataSource } = app.database;
    await engine.putIntoCart(dataSource.manager, project, id);

    await dataSource.transaction(async (manager) => {
      const removing = manager.transaction((inner) => methods.remove(project, id, { manager: inner }));
      await expect(removing).rejects.toThrow(MethodInUseError);
      await methods.update(project, id, { ...ground, is_active: false }, { manager });
    });

    expect((await methods.find(project, id)).is_active).toBe(false);
  });

  onlyWhere('severalConnections', () => {
    it('stays usable when the codes it wants are taken while it waits for the lock', async () => {
      const project = freshProject();
      const { id } = await methods.create(project, ground);
      const { dataSource } = app.database;
      let renaming: Promise<unknown> = Promise.resolve();

      await dataSource.transaction(async (holder) => {
        await methods.create(project, { ...ground, method_code: '01' }, { manager: holder });
        renaming = dataSource.transaction(async (manager) => {
          const renamed = methods.update(project, id, { ...ground, method_code: '01' }, { manager });
          await expect(renamed).rejects.toThrow(DuplicateMethodError);
          await methods.update(project, id, { ...ground, sort_order: 5 }, { manager });
        });
        await engine.someoneWaitsFor(holder);
      });
      await renaming;

      expect((await methods.find(project, id)).sort_order).toBe(5);
    });

    it.each<[string, (project: string, manager: EntityManager) => Promise<unknown>]>([
      [
        'create',
        (project, manager) => methods.create(project, { ...ground, method_code: '02' }, { manager }),
      ],
      ['upsert', (project, manager) => methods.upsert(project, { ...ground, sort_order: 2 }, { manager })],
      [
        'event',
        (projectId, manager) => app.nest.get(OrderEvents).record({ ...event, projectId }, { manager }),
      ],
    ])('stays usable when a nested %s waits too long for a lock', async (_name, call) => {
      const project = freshProject();
      await methods.create(project, ground);
      const { dataSource } = app.database;

      await dataSource.transaction(async (holder) => {
        await methods.create(project, { ...ground, method_code: '01' }, { manager: holder });
        await app.nest.get(OrderEvents).record({ ...event, projectId: project }, { manager: holder });
        await dataSource.transaction(async (manager) => {
          const late = engine.withLockTimeout(manager, 100, () =>
            manager.transaction((inner) => call(project, inner)),
          );
          await expect(late).rejects.toMatchObject({
            code: 'database_unavailable',
            cause: { code: engine.lockTimeout },
          });
          await anyStatement(manager);
        });
      });
    });
  });

  it('may make parallel calls, and a refused one does not affect the others', async () => {
    const project = freshProject();
    const codes = ['01', '02', '01', '03'];

    const outcomes = await app.database.dataSource.transaction((manager) =>
      Promise.allSettled(
        codes.map((method_code) => methods.create(project, { ...ground, method_code }, { manager })),
      ),
    );

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect((await methods.list(project)).data.map((method) => method.method_code)).toEqual([
      '01',
      '02',
      '03',
    ]);
  });

  onlyWhere('severalConnections', () => {
    it('whose snapshot does not show who has the codes fails, and does not try for ever', async () => {
      const project = freshProject();

      const blind = app.database.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await methods.list(project, {}, { manager });
        await methods.create(project, ground);
        await methods.create(project, ground, { manager });
      });

      await expect(blind).rejects.toMatchObject({ code: 'database_unavailable', contention: 'race' });
      expect((await methods.list(project)).meta.total).toBe(1);
    });

    onlyWhere('sharedParents', () => {
      it('that puts a method into a cart does not keep others from changing it', async () => {
        const project = freshProject();
        const { id } = await methods.create(project, ground);
        const { dataSource } = app.database;

        const updated = await dataSource.transaction(async (manager) => {
          await engine.putIntoCart(manager, project, id);
          return methods.update(project, id, { ...ground, method_label: 'Changed' });
        });

        expect(updated).toMatchObject({ method_label: 'Changed', version: 2 });
      });
    });
  });

  it('of another DataSource is refused', async () => {
    const other = await testDatabase();

    const call = methods.tree(freshProject(), { manager: other.dataSource.manager });

    await expect(call).rejects.toThrow('another DataSource');
    await other.close();
  });

  it('under a misspelt name is refused, so that no call commits by itself', async () => {
    const project = freshProject();
    const { manager } = app.database.dataSource;
    const [misspelt, matching] = [{ managr: manager } as object, { manager, etags: ['"1"'] }];
    const placed = { projectId: project, orderId: 'o', type: 'order.placed' };
    const events = app.nest.get(OrderEvents);
    const calls = [
      methods.create(project, ground, misspelt),
      methods.upsert(project, ground, misspelt),
      methods.update(project, 'id', ground, misspelt),
      methods.remove(project, 'id', misspelt),
      methods.list(project, {}, misspelt),
      methods.tree(project, misspelt),
      methods.find(project, 'id', misspelt),
      methods.findActive(project, misspelt),
      methods.findByCodes(project, 'ups', '03', misspelt),
      events.record(placed, misspelt),
      events.list(project, 'o', misspelt),
    ].map((call) => call.then(() => 'done', String));

    expect(new Set(await Promise.all(calls))).toEqual(
      new Set([
        'TypeError: This call has no option "managr". It takes manager.',
        'TypeError: This call has no option "managr". It takes manager and etags.',
      ]),
    );
    expect(() => events.stream(project, 'o', misspelt)).toThrow('no option "managr"');
    // A create has no etag to match.
    await expect(methods.create(project, ground, matching)).rejects.toThrow('no option "etags"');
    expect((await methods.list(project)).data).toEqual([]);
  });

  it('of another DataSource is refused when it is ambient too', async () => {
    const other = await testDatabase();
    const entityManager = (): EntityManager => other.dataSource.manager;
    const mounted = await testApp({ database: app.database, shipping: { entityManager } });

    const call = mounted.nest.get(ShippingMethods).tree(freshProject());

    await expect(call).rejects.toThrow('another DataSource');
    mounted.nest.getHttpServer().close();
    await other.close();
  });

  it('is not needed to find the active methods, or one method by its codes or id', async () => {
    const project = freshProject();
    await methods.create(project, { ...ground, is_active: false });
    const air = await methods.create(project, { ...ground, method_code: '01' });

    expect(await methods.findActive(project)).toEqual([air]);
    expect(await methods.findByCodes(project, 'ups', '01')).toEqual(air);
    expect(await methods.findByCodes(project, 'UPS', '01')).toBeNull();
    expect(await methods.find(project, air.id)).toEqual(air);
    await expect(methods.find(freshProject(), air.id)).rejects.toThrow(MethodNotFoundError);
  });
});
