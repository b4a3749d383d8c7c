import { setTimeout as delay } from 'node:timers/promises';
import { MethodInUseError } from 'nestjs-shipping';
import { type DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { type EngineDatabase, sqlite, titleOf } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

describe.skipIf(sqlite.missing !== undefined)(`a database on ${titleOf(sqlite)}`, () => {
  let database: EngineDatabase;
  let host: EngineHost;
  beforeAll(async () => {
    database = await sqlite.create();
    host = await hostOn(database);
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
  });

  it('numbers an event by an index, without reading all events', async () => {
    const plan = await host.dataSource.query<{ detail: string }[]>(
      'EXPLAIN QUERY PLAN SELECT COALESCE(MAX(seq), 0) + 1 FROM shipping_order_event',
    );

    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH shipping_order_event USING COVERING INDEX ix_shipping_order_event_seq',
    ]);
  });

  describe('a transaction of the host that begins during a slow call, and rolls back,', () => {
    const notes = (): Promise<unknown[]> => host.dataSource.query('SELECT * FROM note');
    const rolledBack = (): Promise<unknown> =>
      host.dataSource
        .transaction(async (manager) => {
          await manager.query('INSERT INTO note VALUES (1)');
          await delay(100);
          throw new Error('rolled back');
        })
        .catch(String);

    it.each<[string, boolean]>([
      ['was prepared in an earlier call', true],
      ['comes after a call whose end a subscriber delays', false],
    ])('leaves nothing behind if it %s', async (_what, isPrepared) => {
      const { dataSource, methods } = host;
      await dataSource.query('CREATE TABLE IF NOT EXISTS note (id integer)');
      let inserts = 0;
      let transaction: Promise<unknown> | undefined;
      let begin = (): void => undefined;
      const isSlow = new Promise<void>((resolve) => (begin = resolve));
      dataSource.subscribers.push({
        afterTransactionCommit: () => delay(20),
        afterInsert: async () => {
          inserts++;
          if (isPrepared && inserts === 1) transaction = isSlow.then(rolledBack);
          if (inserts < 2) return;
          begin();
          await delay(60);
        },
      });
      const { manager } = dataSource.createQueryRunner();
      const first = methods.create(freshProject(), ground, isPrepared ? {} : { manager });
      if (isPrepared) await first;

      const slow = methods.create(freshProject(), ground);
      transaction ??= Promise.all([isSlow, first]).then(rolledBack);
      await Promise.all([slow, transaction]);

      dataSource.subscribers.pop();
      expect(await transaction).toBe('Error: rolled back');
      expect(await notes()).toEqual([]);
    });
  });

  it('lets a hook hand its manager to a worker that runs outside of its async context', async () => {
    const project = freshProject();
    let hand: (manager: EntityManager) => void = () => undefined;
    const handed = new Promise<EntityManager>((resolve) => (hand = resolve));
    const worker = handed.then((manager) =>
      other.events.record({ projectId: project, orderId: 'o' }, { type: 'a.b' }, { manager }),
    );
    const change = async (_change: unknown, manager: EntityManager): Promise<void> => {
      hand(manager);
      await worker;
    };
    const other = await hostOn(database, { beforeCommit: { change } });

    await other.methods.create(project, ground);

    expect(await other.events.findAll({ projectId: project, orderId: 'o' })).toHaveLength(1);
    await other.close();
  });

  it('makes a call without the manager a part of the transaction that awaits it', async () => {
    const project = freshProject();

    await host.dataSource.transaction(async (manager) => {
      await manager.query('SELECT 1');
      await host.methods.create(project, ground);
    });

    expect((await host.methods.list(project)).meta.total).toBe(1);
  });

  it('ends all transactions and calls, even if they overlap and some of them fail', async () => {
    const project = freshProject();
    const transaction = (n: number): Promise<unknown> =>
      host.dataSource.transaction(async (manager) => {
        await manager.query('SELECT 1');
        await delay(n % 5);
        await host.events.record({ projectId: project, orderId: `${n}` }, { type: 'a.b' }, { manager });
        if (n % 3 === 0) throw new Error('rolled back');
      });
    const call = (n: number): Promise<unknown> =>
      host.methods.create(project, { ...ground, method_code: `${n % 7}` });

    const works = Array.from({ length: 60 }, (_, n) =>
      delay(n % 11).then(() => (n % 2 ? call : transaction)(n)),
    );
    await Promise.allSettled(works);

    const sent: string[] = [];
    host.dataSource.subscribers.push({ beforeQuery: ({ query }) => void sent.push(query) });
    await host.dataSource.transaction(() => Promise.resolve());
    host.dataSource.subscribers.pop();
    expect(sent).toEqual(['BEGIN TRANSACTION', 'COMMIT']);
    expect(host.dataSource.createQueryRunner().isTransactionActive).toBe(false);
  });

  it('refuses a change that a subscriber of the host makes, and awaits, before a COMMIT', async () => {
    const project = freshProject();
    const { subscribers } = host.dataSource;
    let change: Promise<unknown> | undefined;
    subscribers.push({ beforeTransactionCommit: () => (change ??= host.methods.create(project, ground)) });

    const transaction = host.dataSource.transaction((manager) => manager.query('SELECT 1'));
    const [outcome] = await Promise.allSettled([transaction]);

    subscribers.pop();
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'EndedTransactionError' } });
    expect((await host.methods.list(project)).data).toEqual([]);
  });

  it('goes on after SQLite has rolled a transaction back by itself', async () => {
    const [undone, kept] = [freshProject(), freshProject()];

    const placing = host.dataSource.transaction(async (manager) => {
      await host.methods.create(undone, ground, { manager });
      // A full disk has the same effect.
      await manager.query('INSERT OR ROLLBACK INTO shipping_project SELECT * FROM shipping_project');
    });

    await expect(placing).rejects.toThrow('UNIQUE constraint failed');
    const created = await host.methods.create(kept, ground);
    await expect(host.dataSource.transaction(() => Promise.reject(new Error('sold out')))).rejects.toThrow(
      'sold out',
    );
    await host.methods.create(kept, { ...ground, method_code: '2' });
    expect((await host.methods.list(undone)).data).toEqual([]);
    expect((await host.methods.list(kept)).data[0]).toEqual(created);
    expect(host.dataSource.createQueryRunner().isTransactionActive).toBe(false);
  });

  it.each(['UPDATE', 'DELETE'])(
    'with a trigger of the host that refuses each %s gives its error',
    async (event) => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      await host.dataSource.query(
        `CREATE TRIGGER error BEFORE ${event} ON shipping_method WHEN OLD.project_id = '${project}'
       BEGIN SELECT RAISE(ABORT, 'not now'); END`,
      );

      const call =
        event === 'UPDATE'
          ? host.methods.update(project, id, { ...ground, sort_order: 1 })
          : host.methods.remove(project, id);

      await expect(call).rejects.toThrow('not now');
      await host.dataSource.query('DROP TRIGGER error');
    },
  );

  it('with a trigger of the host that keeps a method does not remove it', async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    await host.dataSource.query(
      `CREATE TRIGGER kept BEFORE DELETE ON shipping_method WHEN OLD.project_id = '${project}'
       BEGIN SELECT RAISE(IGNORE); END`,
    );

    await expect(host.methods.remove(project, id)).rejects.toThrow('A trigger may keep its row');
    await host.dataSource.query('DROP TRIGGER kept');
  });

  it.each(['NO ACTION', 'RESTRICT'])(
    'with a foreign key of the host gives method_in_use for a removal: %s',
    async (action) => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      await host.dataSource.query(
        `CREATE TABLE cart (project_id text, method_id text,
         FOREIGN KEY (project_id, method_id) REFERENCES shipping_method (project_id, id) ON DELETE ${action})`,
      );
      await host.dataSource.query('INSERT INTO cart VALUES (?, ?)', [project, id]);

      await expect(host.methods.remove(project, id)).rejects.toThrow(MethodInUseError);
      await host.dataSource.query('DROP TABLE cart');
    },
  );
});

// Most calls wait for the end of a turn, some seconds. They do so at the same time, on databases of their own.
describe
  .skipIf(sqlite.missing !== undefined)
  .concurrent(`a subscriber of the host that fails before the ROLLBACK on ${titleOf(sqlite)}`, () => {
    const soldOut = (): Promise<never> => Promise.reject(new Error('sold out'));
    type Moment = 'beforeTransactionRollback' | 'beforeQuery';
    /** The first rollback fails. */
    const whileRollbacksFail = async (
      { subscribers }: DataSource,
      moment: Moment,
      work: () => Promise<unknown>,
    ): Promise<void> => {
      let isFirst = true;
      subscribers.push({
        [moment]: ({ query = 'ROLLBACK' }: { query?: string }) => {
          const fails = isFirst && query.startsWith('ROLLBACK');
          if (fails) isFirst = false;
          return fails ? Promise.reject(new Error('no log')) : Promise.resolve();
        },
      });
      const [{ status }] = await Promise.allSettled([work()]);
      expect(status).toBe('rejected');
      subscribers.pop();
    };
    const isOpen = (dataSource: DataSource): Promise<unknown> =>
      dataSource.query('BEGIN').then(
        () => dataSource.query('ROLLBACK').then(() => false),
        () => true,
      );

    describe.each<Moment>(['beforeTransactionRollback', 'beforeQuery'])('in %s', (moment) => {
      it.each<[string, (host: EngineHost, project: string) => Promise<unknown>]>([
        [
          'of a transaction',
          (host, project) =>
            host.dataSource.transaction(async (manager) => {
              await host.events.record(
                { projectId: project, orderId: 'o' },
                { type: 'order.placed' },
                { manager },
              );
              return soldOut();
            }),
        ],
        [
          'of a nested transaction, whose error the host catches',
          (host, project) =>
            host.dataSource.transaction(async (manager) => {
              const nested = manager.transaction(async (inner) => {
                await host.events.record(
                  { projectId: project, orderId: 'o' },
                  { type: 'order.placed' },
                  { manager: inner },
                );
                return soldOut();
              });
              await nested.catch(() => undefined);
            }),
        ],
        [
          'of a change of ours',
          (host, project) => host.methods.create(project, { ...ground, meta: { fails: true } }),
        ],
      ])('leaves nothing behind %s, and later calls are stored', async (_what, work) => {
        const [undone, kept] = [freshProject(), freshProject()];
        const own = await sqlite.create();
        const host = await hostOn(own);

        await host.dataSource.query(
          `CREATE TRIGGER failing BEFORE INSERT ON shipping_method WHEN NEW.meta LIKE '%fails%'
       BEGIN SELECT RAISE(ABORT, 'not now'); END`,
        );
        await whileRollbacksFail(host.dataSource, moment, () => work(host, undone));
        const created = await host.methods.create(kept, ground);

        expect(await host.events.findAll({ projectId: undone, orderId: 'o' })).toEqual([]);
        expect((await host.methods.list(undone)).data).toEqual([]);
        expect((await host.methods.list(kept)).data).toEqual([created]);
        expect(await isOpen(host.dataSource)).toBe(false);
        expect(host.dataSource.createQueryRunner().isTransactionActive).toBe(false);
        await host.close();
        await own.drop();
      });
    });
  });
