import { type ShippingMethodsService } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { type EngineDatabase, mariadb, onMariadbAndMysql, titleOf } from './databases.js';
import { type EngineHost, hostWithSessions } from './host.js';

const other = { ...ground, method_code: 'other' };
const levels = ['REPEATABLE READ', 'READ COMMITTED', 'SERIALIZABLE'];
const lostRace = { code: 'database_unavailable', contention: 'race' };
/** At SERIALIZABLE a read locks what it has seen, so that nobody can commit a change of it meanwhile. */
const isLocking = (level: string): boolean => level === 'SERIALIZABLE';

/** Another instance commits a change after the snapshot of the host's transaction. Then the host makes a call in it. */
interface Late {
  commits: (methods: ShippingMethodsService, project: string, id: string) => Promise<unknown>;
  call: (
    methods: ShippingMethodsService,
    project: string,
    id: string,
    manager: EntityManager,
  ) => Promise<unknown>;
  /** The result of the call, or its error. */
  gives: object;
  /** The result at REPEATABLE READ. By default, the call says that it has lost the race. */
  givesOfSnapshot?: object;
}

const late: Record<string, Late> = {
  'an update of what was updated': {
    commits: (methods, project, id) => methods.update(project, id, { ...ground, sort_order: 7 }),
    call: (methods, project, id, manager) =>
      methods.update(project, id, { ...ground, carrier_label: 'UPS' }, { manager }),
    gives: { sort_order: 7, carrier_label: 'UPS', version: 3 },
  },
  'an update with the old ETag': {
    commits: (methods, project, id) => methods.update(project, id, { ...ground, sort_order: 7 }),
    call: (methods, project, id, manager) =>
      methods.update(project, id, { ...ground, sort_order: 8 }, { manager, etag: '"1"' }),
    gives: { code: 'version_mismatch', currentVersion: 2 },
  },
  'an update of what was removed': {
    commits: (methods, project, id) => methods.remove(project, id),
    call: (methods, project, id, manager) =>
      methods.update(project, id, { ...ground, sort_order: 8 }, { manager }),
    gives: { code: 'method_not_found' },
  },
  'a create of what was created': {
    commits: (methods, project) => methods.create(project, other),
    call: (methods, project, _id, manager) => methods.create(project, other, { manager }),
    gives: { code: 'duplicate_method', identical: true },
  },
  'a create of what was removed': {
    commits: (methods, project, id) => methods.remove(project, id),
    call: (methods, project, _id, manager) => methods.create(project, ground, { manager }),
    gives: { version: 1 },
    // The transaction still sees the removed method.
    givesOfSnapshot: { code: 'duplicate_method' },
  },
  'an upsert of what was created': {
    commits: (methods, project) => methods.create(project, other),
    call: (methods, project, _id, manager) =>
      methods.upsert(project, { ...other, sort_order: 3 }, { manager }),
    gives: { version: 2, sort_order: 3 },
  },
  'an upsert of what was created, after a change of its own that was rolled back': {
    commits: (methods, project) => methods.create(project, other),
    call: async (methods, project, id, manager) => {
      const undone = manager.transaction(async (nested) => {
        await methods.update(project, id, { ...ground, sort_order: 1 }, { manager: nested });
        throw new Error('no');
      });
      await undone.catch(() => undefined);
      return methods.upsert(project, { ...other, sort_order: 3 }, { manager });
    },
    gives: { version: 2, sort_order: 3 },
  },
};

for (const level of levels)
  onMariadbAndMysql(`at ${level}, on`, (server) => {
    let database: EngineDatabase;
    let a: EngineHost;
    let b: EngineHost;
    beforeAll(async () => {
      database = await server.create();
      const statements = [`SET SESSION TRANSACTION ISOLATION LEVEL ${level}`];
      a = await hostWithSessions(database, statements);
      b = await hostWithSessions(database, statements);
    });
    afterAll(async () => {
      await a?.close();
      await b?.close();
      await database?.drop();
    });

    it.skipIf(isLocking(level)).each(Object.entries(late))(
      'decides %s on the newest state, or says that it has lost the race',
      async (_name, { commits, call, gives, givesOfSnapshot = lostRace }) => {
        const project = freshProject();
        const { id } = await a.methods.create(project, ground);

        const given = await a.dataSource
          .transaction(async (manager) => {
            // At REPEATABLE READ, this read makes the snapshot.
            await a.methods.list(project, {}, { manager });
            await commits(b.methods, project, id);
            return call(a.methods, project, id, manager);
          })
          .catch((error: unknown) => error);

        expect(given).toMatchObject(level === 'REPEATABLE READ' ? givesOfSnapshot : gives);
      },
    );

    it.runIf(level === 'REPEATABLE READ')('stores nothing when a call has lost the race', async () => {
      const project = freshProject();

      const work = a.dataSource.transaction(async (manager) => {
        await a.methods.list(project, {}, { manager });
        const { id } = await b.methods.create(project, ground);
        await a.events.record({ projectId: project, orderId: 'o' }, { type: 'a.b' }, { manager });
        await a.methods.create(project, other, { manager }).catch(() => id);
      });

      await expect(work).rejects.toMatchObject({ cause: lostRace });
      expect((await b.methods.list(project)).data).toMatchObject([{ version: 1 }]);
      expect(await b.events.findAll({ projectId: project, orderId: 'o' })).toEqual([]);
    });

    it.each(['create', 'upsert'] as const)(
      'lets one of 16 transactions make a method by %s, and loses no other',
      async (name) => {
        const project = freshProject();

        const outcomes = await Promise.all(
          Array.from({ length: 16 }, (_, n) => {
            const { dataSource, methods } = n % 2 ? a : b;
            const work = dataSource.transaction((manager) =>
              methods[name](project, { ...ground, sort_order: n + 1 }, { manager }),
            );
            return work.then(
              () => 'done',
              (error: { code: string }) => error.code,
            );
          }),
        );

        const done = outcomes.filter((outcome) => outcome === 'done').length;
        expect(new Set(outcomes)).toEqual(
          new Set(name === 'create' ? ['done', 'duplicate_method'] : ['done']),
        );
        expect(done).toBe(name === 'create' ? 1 : 16);
        expect((await b.methods.list(project)).data).toMatchObject([{ version: done }]);
      },
    );

    it('never shows another instance an older state of a method or its default', async () => {
      const project = freshProject();
      const codes = { ...ground, method_code: project };
      const { id } = await a.methods.create('default', codes);
      await a.methods.create(project, { ...codes, use_default: true });

      for (let n = 1; n <= 9; n++) {
        const [writer, reader] = n % 2 ? [a, b] : [b, a];
        const form = { ...codes, sort_order: n };
        if (n % 3) await writer.methods.update('default', id, form);
        else
          await writer.dataSource.transaction((manager) =>
            writer.methods.update('default', id, form, { manager }),
          );

        const [list, tree, active] = await Promise.all([
          reader.methods.list(project),
          reader.methods.tree(project),
          reader.methods.findActive(project),
        ]);

        expect([list.data[0]?.sort_order, tree.data[0]?.sort_order, active[0]?.sort_order]).toEqual([
          n,
          n,
          n,
        ]);
      }
    });
  });

describe.skipIf(mariadb.missing !== undefined)(`${titleOf(mariadb)} with innodb_snapshot_isolation`, () => {
  it('refuses a change of a row that is newer than the snapshot, and commits nothing', async () => {
    const database = await mariadb.create();
    const a = await hostWithSessions(database, ['SET SESSION innodb_snapshot_isolation = ON']);
    const project = freshProject();
    const { id } = await a.methods.create(project, ground);
    const events = [{ projectId: project, orderId: 'o' }, { type: 'a.b' as const }] as const;

    const work = a.dataSource.transaction(async (manager) => {
      await a.events.record(...events, { manager });
      await a.methods.list(project, {}, { manager });
      await a.methods.update(project, id, { ...ground, sort_order: 1 });
      await a.methods.update(project, id, { ...ground, sort_order: 2 }, { manager }).catch(() => undefined);
      await manager.query(`UPDATE shipping_method SET sort_order = 3 WHERE id = ?`, [id]);
    });

    await expect(work).rejects.toThrow('has failed. Roll the transaction back');
    expect((await a.methods.findOrFail(project, id)).sort_order).toBe(1);
    expect(await a.events.findAll({ projectId: project, orderId: 'o' })).toEqual([]);
    await a.close();
    await database.drop();
  });
});
