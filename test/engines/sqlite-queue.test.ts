import { setTimeout as delay } from 'node:timers/promises';
import { queueTransactions, ShippingMethod } from 'nestjs-shipping';
import { type DataSource, type EntityManager, Repository } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject } from '../support/client.js';
import { type EngineDatabase, opened, sqlite, titleOf } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

/** The usual custom repository. */
class MethodRepository extends Repository<ShippingMethod> {
  constructor(dataSource: DataSource) {
    super(ShippingMethod, dataSource.createEntityManager());
  }
}

describe.skipIf(sqlite.missing !== undefined)(`a queued transaction on ${titleOf(sqlite)}`, () => {
  let database: EngineDatabase;
  let host: EngineHost;
  let dataSource: DataSource;
  let observer: DataSource;
  beforeAll(async () => {
    database = await sqlite.create();
    host = await hostOn(database);
    dataSource = queueTransactions(host.dataSource);
    observer = await opened(database);
    await dataSource.query("CREATE TABLE note (n text, CHECK (n <> 'bad') ON CONFLICT ROLLBACK)");
    await dataSource.query(
      "CREATE TRIGGER refusal BEFORE INSERT ON note WHEN NEW.n = 'refused' BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
    );
  });
  afterAll(async () => {
    await observer?.destroy();
    await host?.close();
    await database?.drop();
  });

  /** Records an event, waits, and fails if it should. */
  const order =
    (project: string, id: string, fails = false) =>
    async (manager: EntityManager): Promise<void> => {
      await host.events.record({ projectId: project, orderId: id, type: 'order.placed' }, { manager });
      await delay(fails ? 15 : 5);
      if (fails) throw new Error('No.');
    };
  /** The orders whose events another connection sees. */
  const committed = async (project: string): Promise<string[]> => {
    const sql = 'SELECT order_id FROM shipping_order_event WHERE project_id = ? ORDER BY order_id';
    const rows = await observer.query<{ order_id: string }[]>(sql, [project]);
    return rows.map(({ order_id }) => order_id);
  };
  /** That nothing of what happened before disturbs the next transactions. */
  const expectUsual = async (): Promise<void> => {
    const project = freshProject();
    for (const id of ['1', '2', '3', '4'])
      await dataSource.transaction(order(project, id, id === '2')).catch(() => undefined);
    expect(await committed(project)).toEqual(['1', '3', '4']);
  };

  it.each([
    ['the DataSource', () => dataSource],
    ['its manager', () => dataSource.manager],
    ['a repository', () => dataSource.getRepository(ShippingMethod).manager],
    ['a custom repository', () => new MethodRepository(dataSource).manager],
  ])('is whole or gone beside others, begun by %s', async (_by, of) => {
    const project = freshProject();
    const ids = ['0', '1', '2', '3', '4', '5', '6', '7'];

    const outcomes = await Promise.allSettled(
      ids.map((id) =>
        (Number(id) % 3 ? of() : dataSource).transaction(order(project, id, Number(id) % 2 > 0)),
      ),
    );

    const done = ids.filter((_, n) => outcomes[n]?.status === 'fulfilled');
    expect(done).toEqual(['0', '2', '4', '6']);
    expect(await committed(project)).toEqual(done);
    await expectUsual();
  });

  it.each(['the DataSource', 'the manager of the outer one'])(
    'has others inside of it that run side by side, begun by %s',
    async (by) => {
      const project = freshProject();

      await dataSource.transaction(async (manager) => {
        const inner = by === 'the DataSource' ? dataSource : manager;
        await Promise.allSettled([
          inner.transaction(order(project, 'kept')),
          inner.transaction(order(project, 'undone', true)),
          inner.transaction(order(project, 'too')),
        ]);
      });

      expect(await committed(project)).toEqual(['kept', 'too']);
      await expectUsual();
    },
  );

  it('ends after those that nobody awaits, and they undo only themselves', async () => {
    const project = freshProject();
    let handler: Promise<unknown> = Promise.resolve();

    await dataSource.transaction(async (manager) => {
      await order(project, 'first')(manager);
      handler = dataSource.transaction(order(project, 'handler', true)).catch(() => undefined);
    });
    const next = dataSource.transaction(order(project, 'next'));
    await Promise.all([handler, next]);

    expect(await committed(project)).toEqual(['first', 'next']);
    await expectUsual();
  });

  it.each([0, 1, 2, 5, 10])(
    'may leave work behind that goes on to begin others, %i ticks after one that it waited for',
    async (ticks) => {
      const project = freshProject();
      let handler: Promise<unknown> = Promise.resolve();

      await dataSource.transaction(async (manager) => {
        handler = (async () => {
          await dataSource.transaction(order(project, 'handler'));
          for (let tick = 0; tick < ticks; tick++) await undefined;
          await dataSource.transaction(order(project, 'undone', true)).catch(() => undefined);
          await dataSource.transaction(order(project, 'last'));
        })();
        await order(project, 'first')(manager);
      });
      await handler;

      expect(await committed(project)).toEqual(['first', 'handler', 'last']);
      await expectUsual();
    },
  );

  it('waits for work of an inner one that has ended, which begins another one', async () => {
    const project = freshProject();

    await dataSource.transaction(async () => {
      let late: Promise<unknown> = Promise.resolve();
      await dataSource.transaction(async (manager) => {
        await order(project, 'inner')(manager);
        late = delay(20).then(() => dataSource.transaction(order(project, 'late')));
      });
      await late;
    });

    expect(await committed(project)).toEqual(['inner', 'late']);
    await expectUsual();
  });

  it('may have a subscriber that begins another one after the commit, and awaits nothing', async () => {
    const project = freshProject();
    let hook: Promise<unknown> | undefined;
    const subscriber = {
      afterTransactionCommit(): void {
        hook ??= dataSource.transaction(order(project, 'hook', true)).catch(() => undefined);
      },
    };
    dataSource.subscribers.push(subscriber);

    const both = ['first', 'second'].map((id) => dataSource.transaction(order(project, id)));
    await Promise.all(both);
    await hook;
    dataSource.subscribers.splice(dataSource.subscribers.indexOf(subscriber), 1);

    expect(await committed(project)).toEqual(['first', 'second']);
    await expectUsual();
  });

  it('begins after the one in which it was begun, if that has ended', async () => {
    const project = freshProject();
    let late: Promise<unknown> = Promise.resolve();

    await dataSource.transaction(async () => {
      late = delay(20).then(() => dataSource.transaction(order(project, 'late')));
    });
    const other = dataSource.transaction(async () => {
      await delay(60);
      throw new Error('No.');
    });
    await Promise.allSettled([other, late]);

    expect(await committed(project)).toEqual(['late']);
  });

  it.each([
    ['a trigger', 'refused'],
    ['a constraint', 'bad'],
  ])(
    'that %s has rolled back, without a call of ours in it, does not disturb the next ones',
    async (_by, note) => {
      const failing = dataSource.transaction((manager) =>
        manager.query('INSERT INTO note VALUES (?)', [note]),
      );

      await expect(failing).rejects.toThrow(/no|CHECK/);
      await expectUsual();
    },
  );
});
