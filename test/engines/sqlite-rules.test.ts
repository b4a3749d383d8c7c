import { setTimeout as delay } from 'node:timers/promises';
import { MethodInUseError } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
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
      'SEARCH shipping_order_event USING COVERING INDEX uq_shipping_order_event_seq',
    ]);
  });

  it('runs two calls that wait for one transaction one after another, so the second outlives the rollback of the first', async () => {
    const [refused, project] = [freshProject(), freshProject()];
    await host.dataSource.query(
      `CREATE TRIGGER refused AFTER INSERT ON shipping_method WHEN NEW.project_id = '${refused}'
       BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    // Calls with this manager have no transaction, and do not take turns with calls that have no manager.
    const { manager } = host.dataSource.createQueryRunner();
    const first = host.methods.create(refused, ground, { manager });
    const transaction = host.dataSource.transaction(() => delay(20));
    await delay(1);
    const second = host.methods.create(project, ground);

    await expect(first).rejects.toThrow('refused');
    const { id } = await second;
    await transaction;
    await host.dataSource.query('DROP TRIGGER refused');
    expect((await host.methods.list(project)).data).toMatchObject([{ id }]);
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

  describe.each(['commits', 'rolls back'])(
    'while another caller has a transaction open, which it %s,',
    (how) => {
      it.each<[string, (project: string) => Promise<unknown>]>([
        ['creates a method', (project) => host.methods.create(project, ground)],
        ['records an event', (project) => host.events.record(project, 'new', { type: 'a.b' })],
        ['removes events', (project) => host.events.removeOrder(project, 'old')],
      ])('a call of its own that %s waits for this end', async (_, call) => {
        const project = freshProject();
        await host.events.record(project, 'old', { type: 'a.b' });
        const ends: string[] = [];
        const transaction = host.dataSource
          .transaction(async (manager) => {
            await manager.query('SELECT 1');
            await delay(50);
            ends.push('transaction');
            if (how === 'rolls back') throw new Error('rolled back');
          })
          .catch((error: Error) => error.message);
        await delay(10);

        const result = await call(project);
        ends.push('call');
        await transaction;

        expect(ends).toEqual(['transaction', 'call']);
        const methods = (await host.methods.list(project)).data.length;
        const [added, removed] = await Promise.all(
          ['new', 'old'].map(async (order) => (await host.events.list(project, order)).length),
        );
        expect([methods + Number(added), removed]).toEqual(result === 1 ? [0, 0] : [1, 1]);
      });
    },
  );

  it('lets a hook hand its manager to a worker that runs outside of its async context', async () => {
    const project = freshProject();
    let hand: (manager: EntityManager) => void = () => undefined;
    const handed = new Promise<EntityManager>((resolve) => (hand = resolve));
    const worker = handed.then((manager) => other.events.record(project, 'o', { type: 'a.b' }, { manager }));
    const change = async (_change: unknown, manager: EntityManager): Promise<void> => {
      hand(manager);
      await worker;
    };
    const other = await hostOn(database, { beforeCommit: { change } });

    await other.methods.create(project, ground);

    expect(await other.events.list(project, 'o')).toHaveLength(1);
    await other.close();
  });

  it('keeps what a call has acknowledged when another caller begins at the same moment, and rolls back', async () => {
    const lost: number[] = [];
    for (let microtasks = 0; microtasks < 40; microtasks++) {
      const project = freshProject();
      const call = host.events.record(project, 'o', { type: 'a.b' });
      for (let passed = 0; passed < microtasks; passed++) await Promise.resolve();
      const transaction = host.dataSource.transaction(async (manager) => {
        await host.events.record(project, 'other', { type: 'a.b' }, { manager });
        throw new Error('rolled back');
      });
      await Promise.allSettled([call, transaction]);
      if ((await host.events.list(project, 'o')).length === 0) lost.push(microtasks);
    }

    expect(lost).toEqual([]);
  });

  it('refuses a call without the manager that a transaction awaits', async () => {
    const project = freshProject();

    const transaction = host.dataSource.transaction(async (manager) => {
      await manager.query('SELECT 1');
      await host.methods.create(project, ground);
    });

    await expect(transaction).rejects.toMatchObject({ code: 'database_unavailable', contention: 'lock' });
    expect((await host.methods.list(project)).data).toEqual([]);
  });

  it('refuses a change that a subscriber of the host makes, and awaits, before a COMMIT', async () => {
    const project = freshProject();
    const { subscribers } = host.dataSource;
    let change: Promise<unknown> | undefined;
    subscribers.push({ beforeTransactionCommit: () => (change ??= host.methods.create(project, ground)) });

    const transaction = host.dataSource.transaction((manager) => manager.query('SELECT 1'));

    await expect(transaction).rejects.toMatchObject({ code: 'database_unavailable' });
    subscribers.pop();
    expect((await host.methods.list(project)).data).toEqual([]);
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
