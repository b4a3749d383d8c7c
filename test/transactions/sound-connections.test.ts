import { type EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { OrderEventsService, ShippingMethodsService, toShippingError } from 'nestjs-shipping';
import { type DataSource, type EntityManager } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';
import { anyStatement, statementThatFails } from '../support/statements.js';

const event = { type: 'order.placed' } as const;

/** A statement for the id of its connection. */
const ownConnection = ({ options }: DataSource): string =>
  options.type === 'postgres' ? 'SELECT pg_backend_pid() AS id' : 'SELECT CONNECTION_ID() AS id';

onlyWhere('connections', () => {
  describe('a connection of the pool', () => {
    const host = mounted();

    it('keeps one listener of ours, however many calls use it', async () => {
      const order = { projectId: freshProject(), orderId: 'o' };
      const listeners = async (): Promise<number> => {
        const runner = host.dataSource.createQueryRunner();
        const connection: EventEmitter = await runner.connect();
        const count = connection.listenerCount('error');
        await runner.release();
        return count;
      };
      const before = await listeners();

      for (let call = 0; call < 20; call++) await host.events.findAll(order);

      expect(await listeners()).toBeLessThanOrEqual(before + 1);
    });
  });

  describe('a call that is made while a nested transaction of the host ends', () => {
    const host = mounted();

    /** Makes a call as soon as TypeORM sends the end of a nested transaction, or some microtasks later. */
    const besideTheEnd = (
      manager: EntityManager,
      microtasks: number,
      call: () => Promise<unknown>,
    ): Promise<unknown> => {
      let release = (): void => undefined;
      const isReleased = new Promise<void>((resolve) => (release = resolve));
      const calling = async (): Promise<unknown> => {
        await isReleased;
        for (let passed = 0; passed < microtasks; passed++) await undefined;
        return call();
      };
      const nested = async (): Promise<void> => {
        const end = await engine.intercept(manager, (sql, send) => {
          if (/RELEASE/.test(sql)) release();
          return send();
        });
        await manager.transaction(anyStatement).finally(end);
      };
      return Promise.all([calling(), nested()]);
    };

    it('belongs to the outer transaction', async () => {
      const project = freshProject();

      for (let moment = 0; moment < 50; moment++)
        await host.dataSource.transaction((manager) =>
          besideTheEnd(manager, moment, () =>
            host.methods.create(project, { ...ground, method_code: `${moment}` }, { manager }),
          ),
        );

      expect((await host.methods.list(project)).meta.total).toBe(50);
    });

    it('may fail, and no connection of the pool is left in a transaction', async () => {
      const project = freshProject();
      await host.methods.create(project, ground);

      for (let moment = 0; moment < 50; moment++) {
        const placing = host.dataSource.transaction((manager) =>
          besideTheEnd(manager, moment, () => host.methods.create(project, ground, { manager })),
        );
        await expect(placing).rejects.toMatchObject({ code: 'duplicate_method' });
      }

      const runners = Array.from({ length: host.app.database.isEmbedded ? 1 : 10 }, () =>
        host.dataSource.createQueryRunner(),
      );
      for (const runner of runners) await anyStatement(runner.manager);
      for (const runner of runners) await runner.release();
      expect((await host.methods.list(project)).meta.total).toBe(1);
    });
  });
});

onlyWhere('connections', () => {
  describe('a call that is made while the host begins a transaction on a new query runner', () => {
    const host = mounted();

    it.each(['commitTransaction', 'rollbackTransaction'] as const)('belongs to it: %s', async (end) => {
      const project = freshProject();
      const runner = host.dataSource.createQueryRunner();
      const beginning = runner.startTransaction();

      await Promise.all([beginning, host.methods.create(project, ground, { manager: runner.manager })]);
      await runner[end]();
      await runner.release();

      expect((await host.methods.list(project)).meta.total).toBe(end === 'commitTransaction' ? 1 : 0);
    });
  });
});

describe('a call and a nested transaction of the host that begin together', () => {
  const host = mounted();

  it('are both committed', async () => {
    const project = freshProject();

    for (let round = 0; round < 50; round++)
      await host.dataSource.transaction((manager) =>
        Promise.all([
          host.methods.create(project, { ...ground, method_code: `${round}` }, { manager }),
          manager.transaction(anyStatement),
        ]),
      );

    expect((await host.methods.list(project)).meta.total).toBe(50);
  });
});

onlyWhere('connections', () => {
  describe('a connection that the host has left in an open transaction', () => {
    let database: TestDatabase;
    let app: TestApp;
    beforeEach(async () => {
      database = await testDatabase({ connections: 1 });
      app = await testApp({ database });
    });
    afterEach(async () => {
      await app?.close();
      await database?.close();
    });

    /** A subscriber of the host fails before the ROLLBACK, so TypeORM never sends it. */
    const leaveOpen = async (work: (manager: EntityManager) => Promise<unknown>): Promise<void> => {
      const { dataSource } = database;
      dataSource.subscribers.push({ beforeTransactionRollback: () => Promise.reject(new Error('no log')) });
      const failing = dataSource.transaction(async (manager) => {
        await work(manager);
        throw new Error('sold out');
      });
      await expect(failing).rejects.toThrow('sold out');
      dataSource.subscribers.pop();
    };
    const recordedBy = (project: string): Promise<readonly unknown[]> =>
      app.nest.get(OrderEventsService).findAll({ projectId: project, orderId: 'o' });

    it('keeps what a later call has acknowledged, and nothing of the transaction', async () => {
      const [undone, kept] = [freshProject(), freshProject()];
      const events = app.nest.get(OrderEventsService);
      await leaveOpen((manager) => events.record({ projectId: undone, orderId: 'o' }, event, { manager }));

      await events.record({ projectId: kept, orderId: 'o' }, event);

      await database.dataSource.destroy();
      await database.dataSource.initialize();
      expect(await recordedBy(undone)).toEqual([]);
      expect(await recordedBy(kept)).toHaveLength(1);
    });

    it('keeps what a later transaction of the host has committed, and nothing of the open one', async () => {
      const [undone, kept] = [freshProject(), freshProject()];
      const events = app.nest.get(OrderEventsService);
      await leaveOpen((manager) => events.record({ projectId: undone, orderId: 'o' }, event, { manager }));

      await database.dataSource.transaction((manager) =>
        events.record({ projectId: kept, orderId: 'o' }, event, { manager }),
      );

      expect(await recordedBy(undone)).toEqual([]);
      expect(await recordedBy(kept)).toHaveLength(1);
    });

    it.for([
      ['RELEASE', 'SELECT 1'],
      ['ROLLBACK TO', statementThatFails],
    ] as const)(
      'keeps what a later call has acknowledged, if a subscriber has failed after %s',
      async ([end, statement], { skip }) => {
        const [undone, kept] = [freshProject(), freshProject()];
        const events = app.nest.get(OrderEventsService);
        const { dataSource } = database;
        const isOldest = !('dataSource' in dataSource.manager);
        skip(
          isOldest && dataSource.options.type !== 'postgres',
          'this driver awaits no subscriber after a statement',
        );
        dataSource.subscribers.push({
          afterQuery: ({ query }) =>
            query.startsWith(end) ? Promise.reject(new Error('no log')) : undefined,
        });
        const placing = dataSource.transaction(async (manager) => {
          await events.record({ projectId: undone, orderId: 'o' }, event, { manager });
          await manager.transaction((inner) => inner.query(statement)).catch(() => undefined);
        });
        await expect(placing).rejects.toThrow(Error);
        dataSource.subscribers.pop();

        await events.record({ projectId: kept, orderId: 'o' }, event);

        await dataSource.destroy();
        await dataSource.initialize();
        expect(await recordedBy(undone)).toEqual([]);
        expect(await recordedBy(kept)).toHaveLength(1);
      },
    );

    it('keeps what the host stores by several statements at once', async () => {
      const { dataSource } = database;
      await dataSource.query('CREATE TABLE note (id integer)');
      await leaveOpen(anyStatement);
      const runner = dataSource.createQueryRunner();

      await Promise.all([1, 2, 3].map((id) => runner.query(`INSERT INTO note VALUES (${id})`)));

      await runner.release();
      const kept = await dataSource.query<unknown[]>('SELECT id FROM note');
      await dataSource.query('DROP TABLE note');
      expect(kept).toHaveLength(3);
    });

    it('serves later calls, even if a call of ours has left it so', async () => {
      const { subscribers } = database.dataSource;
      const refuse = (): Promise<never> => Promise.reject(new Error('refused'));
      subscribers.push({ beforeInsert: refuse, beforeTransactionRollback: refuse });
      const methods = app.nest.get(ShippingMethodsService);
      const project = freshProject();

      await expect(methods.create(project, ground)).rejects.toThrow('refused');
      subscribers.pop();

      expect(await methods.create(project, ground)).toMatchObject(ground);
    });

    it('serves later calls, even if a statement in it had failed', async () => {
      await leaveOpen((manager) => manager.query(statementThatFails).catch(() => undefined));

      expect(await recordedBy(freshProject())).toEqual([]);
    });
  });

  describe('a call that waits for a connection while the application closes', () => {
    it.each([0, 20])('is stored or fails, after %s ms', async (ms) => {
      const database = await testDatabase({ connections: 1 });
      const app = await testApp({ database });
      const project = freshProject();
      const holding = database.dataSource
        .transaction(async (manager) => {
          await anyStatement(manager);
          await delay(200);
        })
        .catch(() => undefined);
      await delay(50);

      const recording = app.nest
        .get(OrderEventsService)
        .record({ projectId: project, orderId: 'o' }, event)
        .then(
          () => 'stored',
          (error: { code?: string }) => error.code,
        );
      await delay(ms);
      await app.close();
      const outcome = await Promise.race([recording, delay(5_000, 'never')]);
      await holding;

      if (!database.dataSource.isInitialized) await database.dataSource.initialize();
      const [stored] = await database.dataSource.query<{ n: string | number }[]>(
        `SELECT COUNT(*) AS n FROM ${database.table('shipping_order_event')} WHERE project_id = '${project}'`,
      );
      await database.close();
      expect(outcome).toMatch(/^(stored|database_unavailable)$/);
      expect(Number(stored?.n)).toBe(outcome === 'stored' ? 1 : 0);
    });
  });
});

onlyWhere('severalConnections', () => {
  describe('a call that waits for a connection while the DataSource is closed and opened again', () => {
    it('is stored or fails', async () => {
      const database = await testDatabase({ connections: 1 });
      const { dataSource } = database;
      const app = await testApp({ database });
      const outcomes: Promise<unknown>[] = [];

      for (let round = 0; round < 20; round++) {
        const holder = dataSource.createQueryRunner();
        await holder.connect();
        const calls = [0, 1, 2].map(() =>
          app.nest.get(OrderEventsService).record({ projectId: freshProject(), orderId: 'o' }, event),
        );
        outcomes.push(
          ...calls.map((call) => call.then(() => 'stored').catch((error: { code?: string }) => error.code)),
        );
        await delay(Math.random() * 20);
        await dataSource.destroy();
        await dataSource.initialize();
        await holder.release();
      }
      const settled = await Promise.race([Promise.all(outcomes), delay(5_000, ['never'])]);

      await app.close();
      await database.close();
      expect(settled.filter((each) => each !== 'stored' && each !== 'database_unavailable')).toEqual([]);
    });
  });
});

onlyWhere('severalConnections', () => {
  describe('a connection that is lost in a nested transaction', () => {
    const host = mounted();

    it.each([
      ['passes on', 0, 'in it'],
      ['passes on', 0, 'before it'],
      ['ignores', 0, 'in it'],
      ['ignores', 50, 'in it'],
    ])(
      'makes the next call fail with database_unavailable, whose error the host %s, after %s ms: lost %s',
      async (how, ms, moment) => {
        const { dataSource } = host;
        let code: unknown;

        const placing = dataSource.transaction(async (manager) => {
          const [own] = await manager.query<{ id: number }[]>(ownConnection(dataSource));
          const kill = (): Promise<unknown> => engine.killConnection(dataSource.manager, own?.id ?? 0);
          if (moment === 'before it') await kill();
          const nested = manager.transaction(async (inner) => {
            await kill();
            await anyStatement(inner).finally(() => delay(ms));
          });
          await nested.catch(() => undefined);
          const call = host.events.record({ projectId: freshProject(), orderId: 'o' }, event, { manager });
          await call.catch((error: { code?: string }) => (code = error.code ?? String(error)));
          if (how === 'passes on') await call;
        });

        const failure = await placing.catch((error: unknown) => toShippingError(error));
        expect(failure).toMatchObject({ code: 'database_unavailable' });
        expect(code).toBe('database_unavailable');
      },
    );

    it.each([0, 1])(
      'makes the COMMIT fail with database_unavailable, if only the nested rollback met the loss, after %s calls',
      async (calls) => {
        const { dataSource } = host;
        const placing = dataSource.transaction(async (manager) => {
          const [own] = await manager.query<{ id: number }[]>(ownConnection(dataSource));
          if (calls > 0)
            await host.events.record({ projectId: freshProject(), orderId: 'o' }, event, { manager });
          const nested = manager.transaction(async () => {
            await engine.killConnection(dataSource.manager, own?.id ?? 0);
            throw new Error('sold out');
          });
          await nested.catch(() => undefined);
        });

        expect(await placing.catch((error: unknown) => toShippingError(error))).toMatchObject({
          code: 'database_unavailable',
        });
      },
    );
  });
});
