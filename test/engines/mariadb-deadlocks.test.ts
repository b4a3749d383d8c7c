import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EntityManager, type InsertEvent } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { anyStatement } from '../support/statements.js';
import { type EngineDatabase, mariadb, onMariadbAndMysql, titleOf } from './databases.js';
import { type EngineHost, hostOn, hostWithSessions } from './host.js';

const event = { type: 'order.placed' } as const;
const lostRace = { code: 'database_unavailable', contention: 'race' };
const [first, second] = ['UPDATE note SET n = n + 1 WHERE id = 1', 'UPDATE note SET n = n + 1 WHERE id = 2'];

const makeNotes = async ({ dataSource }: EngineHost): Promise<void> => {
  await dataSource.query('CREATE TABLE note (id integer PRIMARY KEY, n integer)');
  await dataSource.query('INSERT INTO note VALUES (1, 0), (2, 0)');
};

/** Another transaction that always wins a deadlock, because it has changed many rows. */
async function heavyRival(
  { dataSource }: EngineHost,
  locks: (manager: EntityManager) => Promise<unknown> = (manager) => manager.query(second),
): Promise<{ collide(): Promise<void> }> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('CREATE TEMPORARY TABLE IF NOT EXISTS heavy (id integer) ENGINE = InnoDB');
  await runner.query('INSERT INTO heavy SELECT 1 FROM information_schema.COLUMNS LIMIT 500');
  await locks(runner.manager);
  return {
    async collide() {
      await runner.query(first);
      await runner.rollbackTransaction();
      await runner.release();
    },
  };
}

onMariadbAndMysql('a deadlock of a statement of the host on', (server) => {
  let database: EngineDatabase;
  let host: EngineHost;
  let hook: (manager: EntityManager) => Promise<unknown> = () => Promise.resolve();
  beforeAll(async () => {
    database = await server.create();
    host = await hostOn(database, {
      beforeCommit: { change: async (_change, manager) => void (await hook(manager)) },
    });
    await makeNotes(host);
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
  });

  const stored = async (project: string): Promise<number> =>
    (await host.events.findAll({ projectId: project, orderId: 'o' })).length +
    (await host.methods.list(project)).meta.total;

  it.each(['awaits', 'ignores'])(
    'stores nothing of a call that runs beside it, and the COMMIT fails, if the host %s its error',
    async (how) => {
      for (let round = 0; round < 2; round++) {
        const project = freshProject();
        const rival = await heavyRival(host);
        let outcomes: PromiseSettledResult<unknown>[] = [];

        const placing = host.dataSource.transaction(async (manager) => {
          await manager.query(first);
          const collision = delay(100).then(() => rival.collide());
          outcomes = await Promise.allSettled([
            manager.query(second),
            host.events.record({ projectId: project, orderId: 'o' }, event, { manager }),
            host.methods.create(project, ground, { manager }),
          ]);
          await collision;
          if (how === 'awaits') for (const one of outcomes) if (one.status === 'rejected') throw one.reason;
        });

        await expect(placing).rejects.toThrow(/Deadlock|Roll the transaction back/);
        expect(outcomes).toMatchObject([
          { reason: { code: 'ER_LOCK_DEADLOCK' } },
          { reason: lostRace },
          { reason: lostRace },
        ]);
        expect(await stored(project)).toBe(0);
      }
    },
  );

  it.each([0, 1, 5, 40])(
    'stores nothing of calls that the host makes %s microtasks before or after its statement',
    async (microtasks) => {
      for (const isBefore of [true, false]) {
        const project = freshProject();
        const rival = await heavyRival(host);
        const later = async <Result>(work: () => Promise<Result>): Promise<Result> => {
          for (let passed = 0; passed < microtasks; passed++) await undefined;
          return work();
        };
        const now = <Result>(work: () => Promise<Result>): Promise<Result> => work();

        const placing = host.dataSource.transaction(async (manager) => {
          await manager.query(first);
          const collision = delay(100).then(() => rival.collide());
          await Promise.allSettled([
            (isBefore ? later : now)(() => manager.query(second)),
            (isBefore ? now : later)(() => host.methods.create(project, ground, { manager })),
            (isBefore ? now : later)(() =>
              host.events.record({ projectId: project, orderId: 'o' }, event, { manager }),
            ),
          ]);
          await collision;
        });

        await expect(placing).rejects.toThrow('Roll the transaction back');
        expect(await stored(project)).toBe(0);
      }
    },
  );

  it('stores nothing of a call that runs beside a row of statements, of which any is the victim', async () => {
    for (let before = 0; before < 6; before++) {
      const project = freshProject();
      const rival = await heavyRival(host);

      const placing = host.dataSource.transaction(async (manager) => {
        await manager.query(first);
        const collision = delay(100).then(() => rival.collide());
        const statements = async (): Promise<void> => {
          for (let passed = 0; passed < before; passed++) await anyStatement(manager);
          await manager.query(second);
        };
        await Promise.allSettled([
          statements(),
          host.events.record({ projectId: project, orderId: 'o' }, event, { manager }),
        ]);
        await collision;
      });

      await expect(placing).rejects.toThrow('Roll the transaction back');
      expect(await stored(project)).toBe(0);
    }
  });

  it('makes the COMMIT fail, if a call of ours came before it, and the host ignores its error', async () => {
    const project = freshProject();
    const rival = await heavyRival(host);

    const placing = host.dataSource.transaction(async (manager) => {
      await host.events.record({ projectId: project, orderId: 'o' }, event, { manager });
      await manager.query(first);
      const collision = delay(100).then(() => rival.collide());
      await manager.query(second).catch(() => undefined);
      await collision;
    });

    await expect(placing).rejects.toThrow('Roll the transaction back');
    expect(await stored(project)).toBe(0);
  });

  it('in beforeCommit.change stores nothing of the change, and of calls that run beside it', async () => {
    const project = freshProject();
    const outcomes: PromiseSettledResult<unknown>[] = [];
    let rival = await heavyRival(host);
    let rounds = 0;
    hook = async (manager) => {
      await manager.query(first);
      const collision = delay(100).then(() => rival.collide());
      outcomes.push(
        ...(await Promise.allSettled([
          manager.query(second),
          host.events.record({ projectId: project, orderId: 'o' }, event, { manager }),
        ])),
      );
      await collision;
      if (++rounds < 6) rival = await heavyRival(host);
    };

    const creating = host.methods.create(project, ground);

    await expect(creating).rejects.toMatchObject(lostRace);
    hook = () => Promise.resolve();
    expect(outcomes.map(({ status }) => status)).not.toContain('fulfilled');
    expect(await stored(project)).toBe(0);
  });

  it('in a subscriber that ignores it stores nothing of the call during which it came', async () => {
    const project = freshProject();
    const rival = await heavyRival(host);
    const subscriber = {
      async afterInsert({ queryRunner, metadata }: InsertEvent<object>): Promise<void> {
        if (!metadata.tableName.endsWith('order_event')) return;
        await queryRunner.query(first);
        const collision = delay(100).then(() => rival.collide());
        await queryRunner.query(second).catch(() => undefined);
        await collision;
      },
    };
    host.dataSource.subscribers.push(subscriber);

    const placing = host.dataSource.transaction((manager) =>
      host.events.record({ projectId: project, orderId: 'o' }, event, { manager }),
    );

    await expect(placing).rejects.toThrow(/Roll the transaction back|was faster/);
    host.dataSource.subscribers.splice(host.dataSource.subscribers.indexOf(subscriber), 1);
    expect(await stored(project)).toBe(0);
  });

  it('is no concern of ours, if the transaction has no call of ours', async () => {
    const rival = await heavyRival(host);

    const placing = host.dataSource.transaction(async (manager) => {
      await manager.query(first);
      const collision = delay(100).then(() => rival.collide());
      await manager.query(second).catch(() => undefined);
      await collision;
      return manager.query('SELECT 1 AS one');
    });

    expect(await placing).toHaveLength(1);
  });
});

onMariadbAndMysql('a call of ours that fails on', (server) => {
  let database: EngineDatabase;
  let host: EngineHost;
  beforeAll(async () => {
    database = await server.create();
    host = await hostOn(database);
    await makeNotes(host);
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
  });

  const insert = (manager: EntityManager): Promise<unknown> =>
    manager.query('INSERT INTO note VALUES (3, 0)');
  const inserted = (): Promise<unknown> => host.dataSource.query('SELECT id FROM note WHERE id = 3');

  /** Runs work that loses a deadlock when it changes its method, and when the other transaction has collided. */
  const losing = async (
    work: (
      change: () => Promise<unknown>,
      manager: EntityManager,
      collide: () => Promise<void>,
    ) => Promise<unknown>,
  ): Promise<unknown> => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    const rival = await heavyRival(host, (manager) =>
      host.methods.update(project, id, { ...ground, sort_order: 1 }, { manager }),
    );
    let collision: Promise<void> | undefined;
    const collide = (): Promise<void> => (collision = rival.collide());
    return host.dataSource
      .transaction(async (manager) => {
        await manager.query(first);
        await work(
          () => host.methods.update(project, id, { ...ground, sort_order: 2 }, { manager }),
          manager,
          collide,
        );
      })
      .finally(() => collision);
  };

  it.each([
    ['runs beside it', 100],
    ['has waited for it as long as it may', 5_500],
  ])('by a deadlock stores nothing of a statement that %s', async (_name, ms) => {
    let outcomes: PromiseSettledResult<unknown>[] = [];

    const placing = losing(async (change, manager, collide) => {
      outcomes = await Promise.allSettled([
        change(),
        delay(50).then(() => insert(manager)),
        delay(ms).then(collide),
      ]);
    });

    await expect(placing).rejects.toMatchObject({ name: 'FailedTransactionError' });
    expect(outcomes).toMatchObject([
      { reason: lostRace },
      { reason: { name: 'FailedTransactionError' } },
      {},
    ]);
    expect(await inserted()).toEqual([]);
  });

  it('by a deadlock at once stores nothing of a statement that has waited for another call', async () => {
    for (let round = 0; round < 5; round++) {
      const placing = losing(async (change, manager, collide) => {
        void collide();
        await delay(50);
        await Promise.allSettled([
          host.events.findAll({ projectId: 'p', orderId: 'o' }, { manager }),
          change(),
          insert(manager),
        ]);
      });

      await expect(placing).rejects.toMatchObject({ name: 'FailedTransactionError' });
      expect(await inserted()).toEqual([]);
    }
  });

  it('by its input stores nothing of a statement that runs beside it', async () => {
    const placing = host.dataSource.transaction((manager) =>
      Promise.all([host.methods.remove(freshProject(), randomUUID(), { manager }), insert(manager)]),
    );

    await expect(placing).rejects.toMatchObject({ code: 'method_not_found' });
    expect(await inserted()).toEqual([]);
  });
});

describe.skipIf(mariadb.missing !== undefined)(`${titleOf(mariadb)} with innodb_snapshot_isolation`, () => {
  it('stores nothing of a call beside a statement of the host that changes a row newer than its snapshot', async () => {
    const database = await mariadb.create();
    const host = await hostWithSessions(database, ['SET SESSION innodb_snapshot_isolation = ON']);
    await makeNotes(host);
    const project = freshProject();
    let outcomes: PromiseSettledResult<unknown>[] = [];

    const placing = host.dataSource.transaction(async (manager) => {
      await manager.query('SELECT * FROM note');
      await host.dataSource.query(second);
      outcomes = await Promise.allSettled([
        manager.query(second),
        host.events.record({ projectId: project, orderId: 'o' }, event, { manager }),
      ]);
    });

    await expect(placing).rejects.toThrow('Roll the transaction back');
    expect(outcomes).toMatchObject([{ reason: { code: 'ER_CHECKREAD' } }, { reason: lostRace }]);
    expect(await host.events.findAll({ projectId: project, orderId: 'o' })).toEqual([]);
    await host.close();
    await database.drop();
  });
});
