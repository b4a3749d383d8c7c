import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freshProject } from '../support/client.js';
import { expectWhole } from './agreement.js';
import { type EngineDatabase, mariadb, titleOf } from './databases.js';
import { type EngineHost, hostOn, hostWithSessions } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const other = { ...ground, method_code: 'other' };
const rolledBack = 'The transaction was rolled back: a statement in it had failed.';

describe.skipIf(mariadb.missing !== undefined)(`on ${titleOf(mariadb)}`, () => {
  let database: EngineDatabase;
  let a: EngineHost;
  let b: EngineHost;
  beforeAll(async () => {
    database = await mariadb.create();
    a = await hostWithSessions(database, ['SET SESSION innodb_lock_wait_timeout = 1']);
    b = await hostOn(database);
  });
  afterAll(async () => {
    await a?.close();
    await b?.close();
    await database?.drop();
  });

  it.each([
    ['shipping_project', 'UPDATE'],
    ['shipping_method', 'INSERT'],
  ])(
    'a call that fails in a trigger on %s leaves nothing, also where the host goes on',
    async (table, event) => {
      const project = freshProject();
      await a.methods.create(project, ground);
      await a.dataSource.query(
        `CREATE TRIGGER refusal BEFORE ${event} ON ${table} FOR EACH ROW
       IF NEW.project_id = '${project}' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not now'; END IF`,
      );
      const event1 = { projectId: project, orderId: 'o', type: 'a.b' as const };

      const alone = a.methods.create(project, other);
      await expect(alone).rejects.toThrow('not now');
      const committed = a.dataSource.transaction(async (manager) => {
        await a.events.record(event1, { manager });
        await a.methods.create(project, other, { manager }).catch(() => undefined);
      });
      await expect(committed).rejects.toThrow(rolledBack);
      const nested = a.dataSource.transaction(async (manager) => {
        const inner = manager.transaction((each) => a.methods.create(project, other, { manager: each }));
        await inner.catch(() => a.events.record(event1, { manager }));
      });
      await nested;
      await a.dataSource.query('DROP TRIGGER refusal');

      expect(await b.events.list(project, 'o')).toHaveLength(1);
      expect((await b.methods.list(project)).meta.total).toBe(1);
      await expectWhole(b.dataSource, project);
    },
  );

  it.each(['START TRANSACTION', 'BEGIN'])(
    'a call that fails in a transaction of %s leaves nothing, and the host may commit the rest',
    async (begin) => {
      const project = freshProject();
      await a.methods.create(project, ground);
      await a.dataSource.query(
        `CREATE TRIGGER refusal BEFORE UPDATE ON shipping_project FOR EACH ROW
       IF NEW.project_id = '${project}' AND NEW.methods > 2 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not now'; END IF`,
      );

      const runner = a.dataSource.createQueryRunner();
      const { manager } = runner;
      await runner.query(begin);
      await a.methods.create(project, other, { manager });
      const third = a.methods.create(project, { ...ground, method_code: 'third' }, { manager });
      await expect(third).rejects.toThrow('not now');
      await runner.query('COMMIT');
      await runner.release();
      await a.dataSource.query('DROP TRIGGER refusal');

      expect((await b.methods.list(project)).data).toHaveLength(2);
      await expectWhole(b.dataSource, project);
    },
  );

  it('calls side by side in one transaction do not mix', async () => {
    const project = freshProject();

    const codes = await a.dataSource.transaction((manager) =>
      Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          a.methods.create(project, { ...ground, method_code: `${n % 10}` }, { manager }).then(
            () => 'created',
            (error: { code: string }) => error.code,
          ),
        ),
      ),
    );

    expect(codes.filter((code) => code === 'duplicate_method')).toHaveLength(2);
    expect((await b.methods.list(project)).meta.total).toBe(10);
    await expectWhole(b.dataSource, project);
  });

  it("a method in a cart of an open transaction waits until the lock's time-out, and then is as it was", async () => {
    const project = freshProject();
    const { id } = await a.methods.create(project, ground);
    await b.dataSource.query(
      `CREATE TABLE cart (project_id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
         method_id char(36) CHARACTER SET ascii COLLATE ascii_bin,
         FOREIGN KEY (project_id, method_id) REFERENCES shipping_method (project_id, id))`,
    );

    const refused = await b.dataSource.transaction(async (manager) => {
      await manager.query('INSERT INTO cart VALUES (?, ?)', [project, id]);
      const update = a.methods.update(project, id, { ...ground, sort_order: 1 });
      const outcome: unknown = await update.catch((error: unknown) => error);
      const host = a.dataSource.transaction(async (own) => {
        await a.methods.remove(project, id, { manager: own }).catch(() => undefined);
        await a.events
          .record({ projectId: project, orderId: 'o', type: 'a.b' }, { manager: own })
          .catch(() => undefined);
      });
      await expect(host).rejects.toThrow(rolledBack);
      return outcome;
    });

    expect(refused).toMatchObject({ code: 'database_unavailable', contention: 'lock' });
    expect(await b.events.list(project, 'o')).toEqual([]);
    await expect(a.methods.remove(project, id)).rejects.toMatchObject({ code: 'method_in_use' });
    expect(await a.methods.update(project, id, { ...ground, sort_order: 1 })).toMatchObject({ version: 2 });
    await b.dataSource.query('DROP TABLE cart');
  });

  it('a change whose COMMIT and ROLLBACK are refused is not committed later, and no read is part of it', async () => {
    const project = freshProject();
    const own = await hostOn(database, {}, { poolSize: 1 });
    await own.methods.create(project, other);
    const event = { projectId: project, orderId: 'o', type: 'a.b' } as const;
    const runner = own.dataSource.createQueryRunner();
    const accept = refuseEnds((await runner.connect()) as Queried);
    await runner.release();

    const refused = own.methods.create(project, ground);
    await expect(refused).rejects.toMatchObject({ code: 'database_unavailable' });
    accept();
    await own.dataSource.transaction((manager) => manager.query('SELECT 1'));
    expect((await own.methods.list(project)).data).toHaveLength(1);
    expect((await b.methods.list(project)).data).toHaveLength(1);

    const next = own.dataSource.createQueryRunner();
    const acceptNext = refuseEnds((await next.connect()) as Queried);
    await next.release();
    const host = own.dataSource.transaction((manager) => own.events.record(event, { manager }));
    await expect(host).rejects.toThrow('no COMMIT');
    acceptNext();
    await own.dataSource.transaction((manager) => manager.query('SELECT 1'));
    expect(await b.events.list(project, 'o')).toEqual([]);
    await own.close();
  });

  it('a transaction that is undone just after a lock time-out commits nothing that comes later', async () => {
    const project = freshProject();
    await a.methods.create(project, ground);
    await b.dataSource.query('CREATE TABLE undone (n int)');

    await b.dataSource.transaction(async (locking) => {
      await locking.query('SELECT 1 FROM shipping_project WHERE project_id = ? FOR UPDATE', [project]);
      const host = a.dataSource.transaction(async (manager) => {
        await a.events.record({ projectId: project, orderId: 'o', type: 'a.b' }, { manager });
        undoAtNextLook((await manager.queryRunner?.connect()) as Queried);
        await a.methods.create(project, other, { manager }).catch(() => undefined);
        await manager.query('INSERT INTO undone VALUES (1)');
      });
      await expect(host).rejects.toThrow(rolledBack);
    });

    expect(await b.dataSource.query('SELECT n FROM undone')).toEqual([]);
    expect(await b.events.list(project, 'o')).toEqual([]);
  });

  it('killed connections lose no acknowledged change, and the next call works', async () => {
    const own = await hostOn(database);
    const acknowledged: string[] = [];
    const refusals = new Set<string>();
    const progress = { isOver: false };
    const writer = async (): Promise<void> => {
      while (!progress.isOver) {
        const project = freshProject();
        const made = await own.methods.create(project, ground).catch((error: { code: string }) => error.code);
        if (typeof made === 'string') refusals.add(made);
        else acknowledged.push(project);
      }
    };
    const kill = async (): Promise<void> => {
      const rows = await b.dataSource.query<{ id: number }[]>(
        'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
      );
      for (const { id } of rows) await b.dataSource.query(`KILL ${id}`).catch(() => undefined);
    };

    const writers = [writer(), writer(), writer()];
    for (let n = 0; n < 10; n++) {
      await delay(40);
      await kill();
    }
    progress.isOver = true;
    await Promise.all(writers);

    expect([...refusals].filter((code) => !/^(database_unavailable|outcome_unknown)$/.test(code))).toEqual(
      [],
    );
    for (const project of acknowledged) expect((await b.methods.list(project)).meta.total).toBe(1);
    expect(await own.methods.create(freshProject(), ground)).toMatchObject(ground);
    await own.close();
  });

  it('a COMMIT that fails with an unknown error has an unknown outcome, and nothing is tried again', async () => {
    const project = freshProject();
    await a.methods.create(project, ground);
    const runner = a.dataSource.createQueryRunner();
    const connection = Object.getPrototypeOf(await runner.connect()) as {
      query(this: unknown, sql: unknown, done: (error: unknown, ...rest: unknown[]) => void): unknown;
    };
    await runner.release();
    const send = connection.query;
    let commits = 0;
    const spy = vi.spyOn(connection, 'query').mockImplementation(function (this: unknown, sql, done) {
      const isFirst = sql === 'COMMIT' && ++commits === 1;
      const failure = Object.assign(new Error('Got error 5 during COMMIT'), {
        code: 'ER_ERROR_DURING_COMMIT',
      });
      return send.call(this, sql, (error, ...rest) => done(isFirst ? failure : error, ...rest));
    });

    const created: unknown = await a.methods.create(project, other).catch((error: unknown) => error);
    spy.mockRestore();

    expect([created, commits]).toMatchObject([{ code: 'outcome_unknown' }, 1]);
    expect((await b.methods.list(project)).meta.total).toBe(2);
  });

  // As Galera does: a PREPARE does not tell.
  describe('a transaction that the server undoes while a statement is prepared', () => {
    const undoing = async (work: (host: EngineHost) => Promise<unknown>): Promise<number> => {
      const own = await hostOn(database, {}, { poolSize: 1 });
      type Send = (this: object, statement: { sql: string }, done: (error: unknown) => void) => void;
      const runner = own.dataSource.createQueryRunner();
      const connection = (await runner.connect()) as {
        prepare: Send;
        query(sql: string, done: () => void): void;
      };
      await runner.release();
      const { prepare } = connection;
      let undone = 0;
      connection.prepare = function (statement, done) {
        prepare.call(this, statement, (error) => {
          if (undone > 0 || !statement.sql.includes('UPDATE `shipping_project`')) return done(error);
          undone++;
          connection.query('ROLLBACK', () => done(error));
        });
      };
      await work(own);
      await own.close();
      return undone;
    };

    it('is made again when it is ours', async () => {
      const project = freshProject();
      const { id } = await b.methods.create(project, ground);

      const undone = await undoing(({ methods }) =>
        methods.update(project, id, { ...ground, sort_order: 7 }),
      );

      expect(undone).toBe(1);
      expect((await b.methods.list(project)).data).toMatchObject([{ sort_order: 7, version: 2 }]);
      await expectWhole(b.dataSource, project);
    });

    it("cannot be committed when it is the caller's", async () => {
      const project = freshProject();

      const undone = await undoing(async ({ dataSource, methods }) => {
        const ordered = dataSource.transaction(async (manager) => {
          await methods.create(project, ground, { manager }).catch(() => undefined);
          await methods.create(project, other, { manager }).catch(() => undefined);
        });
        await expect(ordered).rejects.toThrow(rolledBack);
      });

      expect(undone).toBe(1);
      expect((await b.methods.list(project)).meta.total).toBe(0);
    });
  });

  it('a transaction whose connection is killed cannot be committed', async () => {
    const project = freshProject();

    const work = b.dataSource.transaction(async (manager) => {
      await b.methods.create(project, ground, { manager });
      const [me] = await manager.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id');
      await a.dataSource.query(`KILL ${me?.id}`).catch(() => undefined);
      await b.methods.create(project, other, { manager }).catch(() => undefined);
    });

    await expect(work).rejects.toThrow(/./);
    expect((await b.methods.list(project)).meta.total).toBe(0);
  });

  it('a pool of one connection serves calls beside a transaction', async () => {
    const small = await hostOn(database, {}, { poolSize: 1 });
    const project = freshProject();

    await Promise.all([
      ...Array.from({ length: 15 }, (_, n) =>
        small.methods.create(project, { ...ground, method_code: `${n}` }),
      ),
      ...Array.from({ length: 10 }, () => small.methods.list(project)),
      small.dataSource.transaction(async (manager) => {
        await small.methods.upsert(project, other, { manager });
        await small.events.record({ projectId: project, orderId: 'o', type: 'a.b' }, { manager });
      }),
    ]);

    expect((await b.methods.list(project)).meta.total).toBe(16);
    await expectWhole(b.dataSource, project);
    await small.close();
  });
});

interface Queried {
  query(sql: unknown, ...rest: unknown[]): unknown;
}

/**
 * From now on the server refuses each COMMIT and ROLLBACK, as a node of Galera does that is cut off from the others.
 * @returns a function that ends it
 */
function refuseEnds(connection: Queried): () => void {
  const query = connection.query.bind(connection);
  connection.query = (sql, ...rest) => {
    const text = String((sql as { sql?: string }).sql ?? sql);
    if (!/^(COMMIT|ROLLBACK)$/.test(text)) return query(sql, ...rest);
    const done = rest.at(-1) as (error: Error) => void;
    setImmediate(done, Object.assign(new Error(`no ${text}`), { code: 'ER_UNKNOWN_COM_ERROR' }));
    return undefined;
  };
  return () => {
    connection.query = query;
  };
}

/** As if a node of Galera had to undo the transaction for another one, before the module looks if it is still open. */
function undoAtNextLook(connection: Queried): void {
  const query = connection.query.bind(connection);
  connection.query = (sql, ...rest) => {
    if (sql !== 'DO 0') return query(sql, ...rest);
    connection.query = query;
    const done = rest.at(-1) as (error: Error) => void;
    return query('ROLLBACK', () => done(Object.assign(new Error('undone'), { code: 'ER_LOCK_DEADLOCK' })));
  };
}
