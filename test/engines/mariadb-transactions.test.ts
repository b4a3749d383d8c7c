import { setTimeout as delay } from 'node:timers/promises';
import { type ShippingMethodDto } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject } from '../support/client.js';
import { expectWhole } from './agreement.js';
import { type EngineDatabase, mariadb, titleOf } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const rolledBack = 'The transaction was rolled back: a statement in it had failed.';

describe.skipIf(mariadb.missing !== undefined)(`a host's transaction on ${titleOf(mariadb)}`, () => {
  let database: EngineDatabase;
  let a: EngineHost;
  let b: EngineHost;
  beforeAll(async () => {
    database = await mariadb.create();
    a = await hostOn(database);
    b = await hostOn(database);
    await a.dataSource.query('CREATE TABLE note (n varchar(64) PRIMARY KEY)');
  });
  afterAll(async () => {
    await a?.close();
    await b?.close();
    await database?.drop();
  });

  const note = (manager: EntityManager, text: string): Promise<unknown> =>
    manager.query('INSERT INTO note VALUES (?)', [text]);
  const notesOf = async (project: string): Promise<string[]> => {
    const rows = await b.dataSource.query<{ n: string }[]>('SELECT n FROM note WHERE n LIKE ?', [
      `%${project}`,
    ]);
    return rows.map(({ n }) => n);
  };
  const settled = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'committed',
      (error: Error) => error.message,
    );

  describe('that does not await a call', () => {
    const delays = [0, 1, 2, 3, 5, 8];

    it.each(delays)('commits all of it or nothing, when it ends after %i ms', async (ms) => {
      const project = freshProject();
      let call: Promise<unknown> = Promise.resolve();

      const outcome = await settled(
        a.dataSource.transaction(async (manager) => {
          call = settled(a.methods.create(project, ground, { manager }));
          await delay(ms);
        }),
      );
      await call;

      expect(outcome).toMatch(
        /^(committed|A call of nestjs-shipping was not done .*: await the call first\.)$/,
      );
      await expectWhole(b.dataSource, project);
    });

    it.each(delays)('commits all of it or nothing, when its savepoint ends after %i ms', async (ms) => {
      const project = freshProject();
      let call: Promise<unknown> = Promise.resolve();

      await a.dataSource.transaction(async (manager) => {
        const inner = manager.transaction(async (nested) => {
          call = settled(a.methods.create(project, ground, { manager: nested }));
          await delay(ms);
        });
        await Promise.allSettled([inner]);
        await call;
      });

      await expectWhole(b.dataSource, project);
    });

    it.each(delays)(
      'commits all of it or nothing, when a savepoint beside it is rolled back after %i ms',
      async (ms) => {
        const project = freshProject();

        const committing = a.dataSource.transaction(async (manager) => {
          const call = settled(a.methods.create(project, ground, { manager }));
          await delay(ms);
          const inner = manager.transaction((nested) => nested.query('SELECT no_such_column'));
          await Promise.allSettled([call, inner]);
        });
        await Promise.allSettled([committing]);

        await expectWhole(b.dataSource, project);
      },
    );
  });

  /** Two transactions that change two methods, each in the other order. */
  const deadlock = async (
    change: (method: ShippingMethodDto, manager: EntityManager) => Promise<unknown>,
  ): Promise<{ outcomes: string[]; kept: string[] }> => {
    const project = freshProject();
    const first = await a.methods.create(`${project}x`, ground);
    const second = await a.methods.create(`${project}y`, ground);
    const orders = [
      [first, second],
      [second, first],
    ] as const;
    const outcomes = await Promise.all(
      orders.map(([one, two], index) =>
        settled(
          a.dataSource.transaction(async (manager) => {
            await note(manager, `before ${index} ${project}`);
            await a.methods.update(one.project_id, one.id, { ...ground, sort_order: 1 }, { manager });
            await delay(100);
            await change(two, manager).catch(() => undefined);
            await note(manager, `after ${index} ${project}`);
          }),
        ),
      ),
    );
    return { outcomes: outcomes.toSorted(), kept: await notesOf(project) };
  };

  it.each<[string, (method: ShippingMethodDto, manager: EntityManager) => Promise<unknown>]>([
    [
      'a call of ours',
      ({ project_id, id }, manager) =>
        a.methods.update(project_id, id, { ...ground, sort_order: 2 }, { manager }),
    ],
    [
      'a call of ours in a nested transaction',
      ({ project_id, id }, manager) =>
        manager.transaction((nested) => a.methods.remove(project_id, id, { manager: nested })),
    ],
    [
      'a statement of the host',
      ({ id }, manager) => manager.query('UPDATE shipping_method SET version = version WHERE id = ?', [id]),
    ],
  ])('that loses a deadlock with %s commits nothing that comes after it', async (_name, change) => {
    const { outcomes, kept } = await deadlock(change);

    expect(outcomes).toEqual([rolledBack, 'committed']);
    expect(kept).toHaveLength(2);
  });

  it('that has lost a deadlock takes no more calls', async () => {
    const refusals: unknown[] = [];

    await deadlock(async ({ id, project_id }, manager) => {
      const lost = manager.query('UPDATE shipping_method SET version = version WHERE id = ?', [id]);
      await lost.catch(async () => {
        const call = a.methods.create(project_id, { ...ground, method_code: 'after' }, { manager });
        refusals.push(await call.catch((error: unknown) => error));
      });
    });

    expect(refusals).toMatchObject([{ code: 'database_unavailable' }]);
  });

  it.each(['upsert', 'create'] as const)(
    'that makes the first methods of its tenant by %s does not deadlock with those of others',
    async (name) => {
      const tenants = Array.from({ length: 20 }, () => freshProject());

      const outcomes = await Promise.all(
        tenants.map((tenant, index) => {
          const { dataSource, methods } = index % 2 ? a : b;
          const work = dataSource.transaction(async (manager) => {
            for (let n = 0; n < 5; n++)
              await methods[name](tenant, { ...ground, method_code: `${n}` }, { manager });
          });
          return settled(work);
        }),
      );

      expect(outcomes).toEqual(tenants.map(() => 'committed'));
    },
  );

  it.each(['START TRANSACTION', 'BEGIN', 'begin'])(
    'that was begun with %s is joined, not committed',
    async (begin) => {
      const project = freshProject();
      const runner = a.dataSource.createQueryRunner();

      await runner.query(begin);
      await note(runner.manager, project);
      await a.methods.create(project, ground, { manager: runner.manager });
      await runner.query('ROLLBACK');
      await runner.release();

      expect(await notesOf(project)).toEqual([]);
      expect((await b.methods.list(project)).meta.total).toBe(0);
    },
  );

  it('that a statement of its own has committed gets no more of our changes', async () => {
    const project = freshProject();
    await a.dataSource.query('CREATE TABLE emptied (n int)');

    const outcome = await settled(
      a.dataSource.transaction(async (manager) => {
        await a.methods.create(project, ground, { manager });
        await manager.query('TRUNCATE TABLE emptied');
        const event = { projectId: project, orderId: 'o', type: 'order.placed' } as const;
        const late = await settled(a.events.record(event, { manager }));
        expect(late).toMatch(/^A statement in this transaction has committed it/);
        await a.methods.create(project, { ...ground, method_code: 'late' }, { manager });
      }),
    );

    expect(outcome).toMatch(/^A statement in this transaction has committed it/);
    expect(await b.events.list(project, 'o')).toEqual([]);
    expect((await b.methods.list(project)).data).toMatchObject([{ method_code: '03' }]);
  });

  it('is not committed if a call of ours fails in a subscriber that is told of the commit, and nobody hears of it', async () => {
    const own = await mariadb.create();
    const { dataSource, methods, close } = await hostOn(own);
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    await dataSource.query('CREATE TABLE note (n varchar(64) PRIMARY KEY)');
    await dataSource.query(
      `CREATE TRIGGER refusal BEFORE UPDATE ON shipping_project FOR EACH ROW
       IF NEW.project_id = '${project}' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF`,
    );
    const subscriber = {
      async beforeTransactionCommit({ manager }: { manager: EntityManager }): Promise<void> {
        await methods.update(project, id, { ...ground, sort_order: 7 }, { manager }).catch(() => undefined);
      },
    };
    dataSource.subscribers.push(subscriber);

    const outcome = await settled(dataSource.transaction((manager) => note(manager, project)));
    const notes = await dataSource.query<object[]>('SELECT n FROM note');
    const { data } = await methods.list(project);
    await close();
    await own.drop();

    expect(outcome).toBe(rolledBack);
    expect(notes).toEqual([]);
    expect(data).toMatchObject([{ sort_order: 0 }]);
  });

  it('serves calls on a new connection of the host that has no autocommit', async () => {
    const project = freshProject();
    const { id } = await a.methods.create(project, ground);
    const own = await hostOn(database, {}, { poolSize: 1 });
    const runner = own.dataSource.createQueryRunner();
    await runner.query('SET autocommit = 0');

    const found = await own.methods.find(project, id, { manager: runner.manager });
    await runner.query('ROLLBACK');
    await runner.release();
    await own.close();

    expect(found).toMatchObject({ id });
  });

  it.each([
    ['inside a transaction', ['START TRANSACTION']],
    ['inside a snapshot', ['START TRANSACTION WITH CONSISTENT SNAPSHOT']],
    ['without autocommit', ['SET autocommit = 0']],
  ])(
    'on a connection that was given back %s is not committed by us, and our reads are current',
    async (_state, statements) => {
      const project = freshProject();
      const { id } = await a.methods.create(project, ground);
      const leave = async (...each: string[]): Promise<void> => {
        const runners = Array.from({ length: 10 }, () => a.dataSource.createQueryRunner());
        for (const runner of runners) for (const sql of each) await runner.query(sql);
        for (const runner of runners) await runner.release();
      };

      await leave(...statements, `INSERT INTO note VALUES (CONCAT(UUID(), '${project}'))`);
      await b.methods.update(project, id, { ...ground, sort_order: 5 });
      const read = await a.methods.list(project);
      const made = await a.methods.create(project, { ...ground, method_code: 'made' });
      await a.events.record({ projectId: project, orderId: 'o', type: 'a.b' });
      await leave('ROLLBACK', 'SET autocommit = 1');

      expect(read.data).toMatchObject([{ id, sort_order: 5 }]);
      expect((await b.methods.list(project)).data).toContainEqual(made);
      expect(await b.events.list(project, 'o')).toHaveLength(1);
      expect(await notesOf(project)).toEqual([]);
    },
  );

  it.each(['CALL begun()', 'DO 0; START TRANSACTION WITH CONSISTENT SNAPSHOT', 'SET autocommit = 0'])(
    'that %s has begun on a connection that was given back does not make our reads older',
    async (sql) => {
      const own = await hostOn(database, {}, { poolSize: 1, multipleStatements: true });
      await own.dataSource.query(
        'CREATE OR REPLACE PROCEDURE begun() BEGIN START TRANSACTION; SELECT * FROM shipping_method; END',
      );
      const project = freshProject();
      const { id } = await a.methods.create(project, ground);

      await own.dataSource.query(sql);
      const seen: unknown[] = [];
      for (const sort_order of [1, 2]) {
        await a.methods.update(project, id, { ...ground, sort_order });
        seen.push((await own.methods.list(project)).data[0]?.sort_order);
      }
      await own.close();

      expect(seen).toEqual([1, 2]);
    },
  );

  it('on a connection that was given back is also known after the DataSource was initialized again', async () => {
    const own = await hostOn(database, {}, { poolSize: 1 });
    const project = freshProject();
    const { id } = await a.methods.create(project, ground);

    await own.dataSource.destroy();
    await own.dataSource.initialize();
    const runner = own.dataSource.createQueryRunner();
    await runner.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
    await runner.release();
    await a.methods.update(project, id, { ...ground, sort_order: 5 });
    const { data } = await own.methods.list(project);
    await own.close();

    expect(data).toMatchObject([{ sort_order: 5 }]);
  });
});
