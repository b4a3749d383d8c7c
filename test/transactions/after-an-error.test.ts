import { setTimeout as delay } from 'node:timers/promises';
import {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  ShippingMethod,
  TooManyRemovalsError,
  ValidationFailedError,
  VersionMismatchError,
} from 'nestjs-shipping';
import { In, type EntityManager } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';
import { anyStatement, watchStatements } from '../support/statements.js';

const event = { type: 'order.placed', dedupe_key: 'once' };
const unknownId = '01890000-0000-7000-8000-000000000000';

describe("the caller's transaction after an error", () => {
  const host = mounted();
  beforeAll(() => engine.createCart(host.dataSource.manager));

  it('stays usable', async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);

    await host.dataSource.transaction(async (manager) => {
      const other = await host.methods.create(project, { ...ground, method_code: '01' }, { manager });
      await expect(host.methods.create(project, ground, { manager })).rejects.toThrow(DuplicateMethodError);
      await expect(host.methods.update(project, other.id, ground, { manager })).rejects.toThrow(
        DuplicateMethodError,
      );
      await expect(host.methods.remove(project, 'nothing', { manager })).rejects.toThrow(MethodNotFoundError);
      await expect(host.methods.remove(project, id, { manager, etag: '"7"' })).rejects.toThrow(
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

  it('stores no method and no revision by calls that were refused or changed nothing', async () => {
    const [refused, empty] = [freshProject(), freshProject()];
    const [nothingToAdopt, nothingToRemove] = [freshProject(), freshProject()];
    const { sent, stop } = watchStatements(host.dataSource);

    await host.dataSource.transaction(async (manager) => {
      const options = { manager };
      const update = host.methods.update(refused, unknownId, ground, options);
      await expect(update).rejects.toThrow(MethodNotFoundError);
      const remove = host.methods.remove(refused, unknownId, options);
      await expect(remove).rejects.toThrow(MethodNotFoundError);
      await host.methods.upsertMany(empty, [], options);
      await host.methods.adoptDefaults(nothingToAdopt, options);
      await host.methods.removeAll(nothingToRemove, options);
    });
    stop();

    const projectId = In([refused, empty, nothingToAdopt, nothingToRemove]);
    expect(await host.dataSource.getRepository(ShippingMethod).findBy({ projectId })).toEqual([]);
    expect(sent.filter((sql) => /UPDATE \S*shipping_project/.test(sql))).toEqual([]);
  });

  it('stores a create that comes after a refused call in a new project', async () => {
    const projectId = freshProject();

    await host.dataSource.transaction(async (manager) => {
      await expect(host.methods.remove(projectId, unknownId, { manager })).rejects.toThrow(
        MethodNotFoundError,
      );
      await host.methods.create(projectId, ground, { manager });
    });

    expect((await host.methods.list(projectId)).meta.total).toBe(1);
  });

  onlyWhere('failedTransactions', () => {
    it('cannot be committed after a foreign key of the host has refused a removal', async () => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      const { dataSource } = host.app.database;
      await engine.putIntoCart(dataSource.manager, project, id);
      const reported: unknown[] = [];
      const subscription = host.methods.changes.subscribe((change) => reported.push(change));

      const committing = dataSource.transaction(async (manager) => {
        await host.methods.create(project, { ...ground, method_code: '01' }, { manager });
        await expect(host.methods.remove(project, id, { manager })).rejects.toThrow(MethodInUseError);
      });

      await expect(committing).rejects.toThrow('has failed. Roll the transaction back');
      subscription.unsubscribe();
      expect(reported).toEqual([]);
      expect((await host.methods.list(project)).meta.total).toBe(1);
    });
  });

  onlyWhere('severalConnections', () => {
    it('stays usable when the codes are taken while it waits for the lock', async () => {
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

      expect((await host.methods.findOrFail(project, id)).sort_order).toBe(5);
    });

    it.each<[string, (project: string, manager: EntityManager) => Promise<unknown>]>([
      [
        'create',
        (project, manager) => host.methods.create(project, { ...ground, method_code: '02' }, { manager }),
      ],
      [
        'event',
        (project, manager) => host.events.record({ projectId: project, orderId: 'o' }, event, { manager }),
      ],
    ])('stays usable when a nested %s waits too long for a lock', async (_name, call) => {
      const project = freshProject();
      await host.methods.create(project, ground);
      const { dataSource } = host.app.database;

      await dataSource.transaction(async (holder) => {
        await host.methods.create(project, { ...ground, method_code: '01' }, { manager: holder });
        await host.events.record({ projectId: project, orderId: 'o' }, event, { manager: holder });
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

  it('stores nothing of a parallel call, if a nested transaction could not begin because of the error', async () => {
    const project = freshProject();
    const used = await host.methods.create(project, ground);
    await engine.putIntoCart(host.dataSource.manager, project, used.id);
    const types: string[] = [];
    const listening = host.methods.changes.subscribe(({ type }) => types.push(type));

    const placing = host.dataSource.transaction(async (manager) => {
      const outcomes = await Promise.allSettled([
        host.methods.remove(project, used.id, { manager }),
        manager.transaction(anyStatement),
        delay(50).then(() => host.methods.create(project, { ...ground, method_code: 'late' }, { manager })),
      ]);
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    });

    await expect(placing).rejects.toMatchObject({ code: 'method_in_use' });
    listening.unsubscribe();
    expect(types).toEqual([]);
    expect((await host.methods.list(project)).data.map(({ method_code }) => method_code)).toEqual(['03']);
  });
});
