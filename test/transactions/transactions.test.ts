import { setTimeout as delay } from 'node:timers/promises';
import {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  ShippingMethods,
  TooManyRemovalsError,
  ValidationFailedError,
  VersionMismatchError,
} from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { engine, onlyWhere, testDatabase } from '../support/database.js';
import { anyStatement, watchStatements } from '../support/statements.js';

const event = { orderId: 'o', type: 'order.placed', dedupeKey: 'once' };
const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe("a sibling module's transaction", () => {
  const host = mounted();
  beforeAll(async () => {
    await engine.createCart(host.dataSource.manager);
  });

  it('sees its own writes, and a rollback undoes all of them: rows, counts and revision', async () => {
    const project = freshProject();
    await host.methods.create(project, ground);
    const before = await host.methods.list(project);
    const shop = new Client(host.app.origin, project);
    const etag = (await shop.list()).headers.get('etag');

    const rolledBack = host.dataSource.transaction(async (manager) => {
      const { id } = await host.methods.create(project, { ...ground, method_code: '01' }, { manager });
      await host.methods.update(
        project,
        id,
        { ...ground, method_code: '02', use_default: true },
        { manager },
      );
      await host.methods.upsert(project, { ...ground, method_label: 'Changed' }, { manager });
      expect((await host.methods.list(project, {}, { manager })).meta.total).toBe(2);
      expect(await host.methods.list(project, {}, { manager })).not.toEqual(before);
      throw new Error('rollback');
    });

    await expect(rolledBack).rejects.toThrow('rollback');
    expect(await host.methods.list(project)).toMatchObject({ data: [ground], meta: { total: 1 } });
    expect(await host.methods.list(project)).toEqual(before);
    expect((await shop.list()).headers.get('etag')).toBe(etag);
  });

  it('stays usable after each refusal that the caller catches', async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);

    await host.dataSource.transaction(async (manager) => {
      const other = await host.methods.create(project, { ...ground, method_code: '01' }, { manager });
      await expect(host.methods.create(project, ground, { manager })).rejects.toThrow(DuplicateMethodError);
      await expect(host.methods.update(project, other.id, ground, { manager })).rejects.toThrow(
        DuplicateMethodError,
      );
      await expect(host.methods.remove(project, 'nothing', { manager })).rejects.toThrow(MethodNotFoundError);
      await expect(host.methods.remove(project, id, { manager, etags: ['"7"'] })).rejects.toThrow(
        VersionMismatchError,
      );
      await expect(host.methods.upsertMany(project, [ground, ground], { manager })).rejects.toThrow(
        ValidationFailedError,
      );
      await expect(host.methods.upsertMany(project, [], { manager, removeOthers: true })).rejects.toThrow(
        TooManyRemovalsError,
      );
      await host.methods.create(project, { ...ground, method_code: '02' }, { manager });
    });

    const { meta } = await host.methods.list(project);
    expect(meta.total).toBe(3);
  });

  it.each(['create', 'update'] as const)(
    'gives the times of its changes, not of its beginning: %s',
    async (write) => {
      const project = freshProject();
      const old = await host.methods.create(project, ground);
      const [changed, fresh] = [
        { ...ground, sort_order: 1 },
        { ...ground, method_code: '01' },
      ];

      const { began, method } = await host.dataSource.transaction(async (manager) => {
        const at = await engine.beganAt(manager);
        await delay(20);
        const writing = {
          create: () => host.methods.create(project, fresh, { manager }),
          update: () => host.methods.update(project, old.id, changed, { manager }),
        };
        return { began: at, method: await writing[write]() };
      });

      expect(Date.parse(method.updated_at)).toBeGreaterThan(began.getTime());
      expect(method.created_at).toBe(method.id === old.id ? old.created_at : method.updated_at);
    },
  );

  it('has the settings that the caller gave it, such as its lock time-out, after our calls', async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    const other = { ...ground, method_code: '01' };

    const [before, after] = await host.dataSource.transaction((manager) =>
      engine.withLockTimeout(manager, 7000, async () => {
        const own = await engine.settings(manager);
        await host.methods.create(project, other, { manager });
        await host.methods.create(project, ground, { manager }).catch(() => 'refused');
        await host.methods.update(project, id, { ...ground, sort_order: 1 }, { manager });
        await host.methods.remove(project, id, { manager });
        await host.methods.tree(project, { manager });
        await host.events.record({ ...event, projectId: project }, { manager });
        return [own, await engine.settings(manager)];
      }),
    );

    expect(after).toEqual(before);
  });

  it('contains no savepoint of ours', async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    const { sent, stop } = watchStatements(host.dataSource);

    await host.dataSource.transaction(async (manager) => {
      await host.methods.create(project, ground, { manager }).catch(() => undefined);
      await host.methods.update(project, id, { ...ground, method_code: '01' }, { manager });
      await host.methods.upsert(project, ground, { manager });
      await host.methods.remove(project, id, { manager });
      await host.events.record({ ...event, projectId: project }, { manager });
    });
    stop();

    expect(sent.filter((sql) => sql.includes('SAVEPOINT'))).toEqual([]);
    expect(sent.length).toBeGreaterThan(6);
  });

  onlyWhere('failedTransactions', () => {
    it('cannot be committed after a foreign key of the host has refused a delete', async () => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      const { dataSource } = host.app.database;
      await engine.putIntoCart(dataSource.manager, project, id);
      const told: unknown[] = [];
      const subscription = host.methods.changes.subscribe((change) => told.push(change));

      const committing = dataSource.transaction(async (manager) => {
        await host.methods.create(project, { ...ground, method_code: '01' }, { manager });
        await expect(host.methods.remove(project, id, { manager })).rejects.toThrow(MethodInUseError);
      });

      await expect(committing).rejects.toThrow('has failed: roll it back');
      subscription.unsubscribe();
      expect(told).toEqual([]);
      expect((await host.methods.list(project)).meta.total).toBe(1);
    });
  });

  onlyWhere('severalConnections', () => {
    it('stays usable when the codes it wants are taken while it waits for the lock', async () => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      const { dataSource } = host.app.database;
      let renaming: Promise<unknown> = Promise.resolve();

      await dataSource.transaction(async (holder) => {
        await host.methods.create(project, { ...ground, method_code: '01' }, { manager: holder });
        renaming = dataSource.transaction(async (manager) => {
          const renamed = host.methods.update(project, id, { ...ground, method_code: '01' }, { manager });
          await expect(renamed).rejects.toThrow(DuplicateMethodError);
          await host.methods.update(project, id, { ...ground, sort_order: 5 }, { manager });
        });
        await engine.someoneWaitsFor(holder);
      });
      await renaming;

      expect((await host.methods.find(project, id)).sort_order).toBe(5);
    });

    it.each<[string, (project: string, manager: EntityManager) => Promise<unknown>]>([
      [
        'create',
        (project, manager) => host.methods.create(project, { ...ground, method_code: '02' }, { manager }),
      ],
      ['event', (projectId, manager) => host.events.record({ ...event, projectId }, { manager })],
    ])('stays usable when a nested %s waits too long for a lock', async (_name, call) => {
      const project = freshProject();
      await host.methods.create(project, ground);
      const { dataSource } = host.app.database;

      await dataSource.transaction(async (holder) => {
        await host.methods.create(project, { ...ground, method_code: '01' }, { manager: holder });
        await host.events.record({ ...event, projectId: project }, { manager: holder });
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

  onlyWhere('severalConnections', () => {
    it('whose snapshot does not show who has the codes fails, and does not try for ever', async () => {
      const project = freshProject();

      const blind = host.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await host.methods.list(project, {}, { manager });
        await host.methods.create(project, ground);
        await host.methods.create(project, ground, { manager });
      });

      await expect(blind).rejects.toMatchObject({ code: 'database_unavailable', contention: 'race' });
      expect((await host.methods.list(project)).meta.total).toBe(1);
    });

    onlyWhere('sharedParents', () => {
      it('that puts a method into a cart does not keep others from changing it', async () => {
        const project = freshProject();
        const { id } = await host.methods.create(project, ground);
        const { dataSource } = host.app.database;

        const updated = await dataSource.transaction(async (manager) => {
          await engine.putIntoCart(manager, project, id);
          return host.methods.update(project, id, { ...ground, method_label: 'Changed' });
        });

        expect(updated).toMatchObject({ method_label: 'Changed', version: 2 });
      });
    });
  });

  it('of another DataSource is refused, given or ambient', async () => {
    const other = await testDatabase();
    const { manager } = other.dataSource;
    const shipping = { entityManager: () => manager };
    const another = await testApp({ database: host.app.database, shipping });

    const given = host.methods.tree(freshProject(), { manager });
    const ambient = another.nest.get(ShippingMethods).tree(freshProject());

    await expect(given).rejects.toThrow('another DataSource');
    await expect(ambient).rejects.toThrow('another DataSource');
    another.nest.getHttpServer().close();
    await other.close();
  });
});
