import { DuplicateMethodError, MethodInUseError, OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { type EntityManager, type EntitySubscriberInterface } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from './support/app.js';
import { freshProject } from './support/client.js';
import { createCart, serverUrl, testDatabase } from './support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

const ended = { message: 'The transaction had ended before the call was done: await the call first.' };

const statuses = (outcomes: readonly PromiseSettledResult<unknown>[]): string[] =>
  outcomes.map(({ status }) => status);

let app: TestApp;
let methods: ShippingMethods;
let events: OrderEvents;
beforeAll(async () => {
  app = await testApp();
  methods = app.nest.get(ShippingMethods);
  events = app.nest.get(OrderEvents);
});
afterAll(() => app?.close());

/** @returns the process id of the first connection that waits for a lock of this one */
async function someoneWaitsFor(manager: EntityManager): Promise<number> {
  for (;;) {
    // Otherwise the transaction would always see the activity of its first look.
    await manager.query('SELECT pg_stat_clear_snapshot()');
    const [waiting] = await manager.query<{ pid: number }[]>(
      'SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))',
    );
    if (waiting) return waiting.pid;
  }
}

describe('parallel calls in one transaction', () => {
  it('keep the events that are recorded beside a refused change', async () => {
    const project = freshProject();
    await methods.create(project, ground);
    const { id } = await methods.create(project, { ...ground, method_code: '01' });
    const event = { projectId: project, orderId: 'o', type: 'order.placed' };

    const outcomes = await app.database.dataSource.transaction((manager) =>
      Promise.allSettled([
        methods.update(project, id, ground, { manager }),
        events.record(event, { manager }).then(() => events.record(event, { manager })),
      ]),
    );

    expect(statuses(outcomes)).toEqual(['rejected', 'fulfilled']);
    expect(await events.list(project, 'o')).toHaveLength(2);
  });

  it('are refused one by one, and the other writes and reads succeed', async () => {
    const project = freshProject();
    await methods.create(project, ground);
    const b = await methods.create(project, { ...ground, method_code: 'b' });
    const c = await methods.create(project, { ...ground, method_code: 'c' });

    const outcomes = await app.database.dataSource.transaction((manager) =>
      Promise.allSettled([
        methods.update(project, b.id, ground, { manager }),
        methods.update(project, c.id, ground, { manager }),
        methods.list(project, {}, { manager }),
        methods.upsert(project, { ...ground, method_label: 'X' }, { manager }),
        methods.upsert(project, { ...ground, method_label: 'Y' }, { manager }),
      ]),
    );

    expect(statuses(outcomes)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect((await methods.findByCodes(project, 'ups', '03'))?.version).toBe(3);
  });
});

describe('parallel calls in a transaction that ends', () => {
  const recordTwice = (projectId: string, manager: EntityManager): Promise<unknown>[] =>
    [1, 2].map((n) =>
      events.record({ projectId, orderId: 'o', type: 'order.placed', data: { n } }, { manager }),
    );

  it('leave nothing behind after a rollback, whether they had begun or not', async () => {
    const project = freshProject();
    let calls: Promise<unknown>[] = [];

    const placing = app.database.dataSource.transaction((manager) => {
      calls = [...recordTwice(project, manager), methods.create(project, ground, { manager })];
      return Promise.all([...calls, Promise.reject(new Error('The host fails'))]);
    });

    await expect(placing).rejects.toThrow('The host fails');
    const [, , create] = await Promise.allSettled(calls);
    expect(create).toMatchObject({ reason: { code: 'database_unavailable', cause: ended } });
    expect(await events.list(project, 'o')).toEqual([]);
    expect((await methods.list(project)).data).toEqual([]);
  });

  it('send nothing more after a rollback, at whatever point it comes', async () => {
    const { dataSource } = app.database;
    for (let statements = 0; statements < 24; statements++) {
      const project = freshProject();
      const runner = dataSource.createQueryRunner();
      await runner.startTransaction();
      const calls = [
        methods.create(project, ground, { manager: runner.manager }),
        methods.upsert(project, { ...ground, method_code: '01' }, { manager: runner.manager }),
      ];
      for (let n = 0; n < statements; n++) await new Promise(process.nextTick);
      await Promise.all([runner.rollbackTransaction(), Promise.allSettled(calls)]);
      await runner.release();

      expect((await methods.list(project)).data).toEqual([]);
    }
  });

  it('leave nothing in the outer transaction after a rollback to a savepoint', async () => {
    const project = freshProject();

    await app.database.dataSource.transaction(async (outer) => {
      const inner = outer.transaction((manager) =>
        Promise.all([...recordTwice(project, manager), Promise.reject(new Error('The host fails'))]),
      );
      await expect(inner).rejects.toThrow('The host fails');
      await outer.query('SELECT 1');
    });

    expect(await events.list(project, 'o')).toEqual([]);
  });

  it('are not reported after a rollback on a connection of the host, at whatever point it comes', async () => {
    const told: unknown[] = [];
    const subscription = methods.changes.subscribe((change) => told.push(change));
    const runner = app.database.dataSource.createQueryRunner();
    const project = freshProject();
    for (let statements = 0; statements < 24; statements++) {
      await runner.startTransaction();
      const calls = ['a', 'b', 'c'].map((method_code) =>
        methods.create(project, { ...ground, method_code }, { manager: runner.manager }),
      );
      for (let n = 0; n < statements; n++) await runner.query('SELECT 1');
      await Promise.all([runner.rollbackTransaction(), Promise.allSettled(calls)]);
    }
    await runner.release();
    subscription.unsubscribe();

    expect([told, (await methods.list(project)).data]).toEqual([[], []]);
  });

  it('are committed even when the host does not wait for them', async () => {
    const project = freshProject();

    const { dataSource, table } = app.database;

    await dataSource.transaction((manager) => {
      void Promise.all(recordTwice(project, manager));
      return manager.query('SELECT 1');
    });

    const written = `SELECT count(*)::integer AS events, count(DISTINCT xmin::text)::integer AS transactions
      FROM ${table('shipping_order_event')} WHERE project_id = $1`;
    expect(await dataSource.query(written, [project])).toEqual([{ events: 2, transactions: 1 }]);
  });

  it('fail and leave nothing behind when the commit comes before them', async () => {
    const project = freshProject();
    let creating: Promise<unknown> = Promise.resolve();

    await app.database.dataSource.transaction((manager) => {
      creating = methods.create(project, ground, { manager }).catch((error: unknown) => error);
      return Promise.resolve();
    });

    expect(await creating).toMatchObject({ code: 'database_unavailable', cause: ended });
    expect((await methods.list(project)).data).toEqual([]);
  });
});

describe('a subscriber of the host', () => {
  it('may record an event in the transaction that TypeORM is about to commit', async () => {
    const { dataSource } = app.database;
    const projectId = freshProject();
    const outbox: EntitySubscriberInterface = {
      beforeTransactionCommit: ({ manager }) =>
        events.record({ projectId, orderId: 'o', type: 'a.b' }, { manager }),
    };
    // Before our subscriber, like those in the options of a DataSource.
    dataSource.subscribers.unshift(outbox);

    await dataSource.transaction((manager) => manager.query('SELECT 1'));
    dataSource.subscribers.shift();

    expect(await events.list(projectId, 'o')).toHaveLength(1);
  });
});

describe('an upsert', () => {
  it.each([false, true])(
    'does not touch a method that loses its codes meanwhile (another method takes them: %j)',
    async (isTakenAnew) => {
      const project = freshProject();
      const { id } = await methods.create(project, ground);
      const batched = Reflect.get(methods, 'batched') as { find: (...key: unknown[]) => Promise<unknown> };
      const find = batched.find.bind(batched);
      vi.spyOn(batched, 'find').mockImplementationOnce(async (...key) => {
        const found = await find(...key);
        await methods.update(project, id, { ...ground, method_code: 'renamed' });
        if (isTakenAnew) await methods.create(project, ground);
        return found;
      });

      const upserted = await methods.upsert(project, { ...ground, method_label: 'Upserted' });

      const { data } = await methods.list(project);
      expect(upserted.id).not.toBe(id);
      expect(data.map((method) => [method.method_code, method.method_label])).toEqual([
        ['03', 'Upserted'],
        ['renamed', 'UPS Ground'],
      ]);
    },
  );
});

describe('a trigger of the host that refuses', () => {
  it.each(['INSERT', 'UPDATE'])(
    'an %s fails the call at once, with the message of the trigger',
    async (event) => {
      const own = await testApp();
      const service = own.nest.get(ShippingMethods);
      const project = freshProject();
      const { id } = await service.create(project, ground);
      const { dataSource, table } = own.database;
      await dataSource.query(
        `CREATE FUNCTION ${table('refuse')}() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'The host says no'; END $$`,
      );
      await dataSource.query(
        `CREATE TRIGGER refuse BEFORE ${event} ON ${table('shipping_method')}
         FOR EACH ROW EXECUTE FUNCTION ${table('refuse')}()`,
      );
      const changed = { ...ground, method_label: 'Changed' };
      const attempts = {
        INSERT: [() => service.create(project, { ...ground, method_code: '01' })],
        UPDATE: [() => service.update(project, id, changed), () => service.upsert(project, changed)],
      }[event];

      for (const attempt of attempts ?? []) await expect(attempt()).rejects.toThrow('The host says no');

      expect((await service.list(project)).data).toMatchObject([ground]);
      await own.close();
    },
  );
});

describe('a host’s own rule', () => {
  it('that is busy for one tenant does not refuse the others in its batch', async () => {
    const { dataSource, table } = app.database;
    await dataSource.query(
      `CREATE FUNCTION ${table('busy')}() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF NEW.carrier_code = 'busy' THEN RAISE 'busy' USING ERRCODE = '55P03'; END IF; RETURN NEW; END $$`,
    );
    await dataSource.query(
      `CREATE TRIGGER busy BEFORE INSERT ON ${table('shipping_method')} FOR EACH ROW EXECUTE FUNCTION ${table('busy')}()`,
    );
    const [busy, other] = [freshProject(), freshProject()];
    await Promise.all([methods.create(busy, ground), methods.create(other, ground)]);

    const outcomes = await Promise.allSettled([
      methods.create(other, { ...ground, method_code: 'a' }),
      methods.create(busy, { ...ground, carrier_code: 'busy' }),
      methods.create(other, { ...ground, method_code: 'b' }),
    ]);

    expect(statuses(outcomes)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'database_unavailable' } });
  });

  it('that refers to the codes refuses new codes, as it refuses a delete', async () => {
    const { dataSource, table } = app.database;
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    await dataSource.query(
      `CREATE TABLE ${table('quote')} (project_id varchar, carrier varchar, method varchar,
         FOREIGN KEY (project_id, carrier, method)
         REFERENCES ${table('shipping_method')} (project_id, carrier_code, method_code))`,
    );
    await dataSource.query(`INSERT INTO ${table('quote')} VALUES ($1, 'ups', '03')`, [project]);

    const renamed = methods.update(project, id, { ...ground, method_code: '04' });

    await expect(renamed).rejects.toThrow(MethodInUseError);
    await expect(methods.remove(project, id)).rejects.toThrow(MethodInUseError);
    expect(await methods.update(project, id, { ...ground, sort_order: 1 })).toMatchObject({ version: 2 });
  });

  it('that makes another column unique is not reported as a duplicate method', async () => {
    const { dataSource, table } = app.database;
    const project = freshProject();
    await methods.create(project, ground);
    const { id } = await methods.create(project, { ...ground, method_code: '01', method_label: 'Other' });
    await dataSource.query(
      `CREATE UNIQUE INDEX labels ON ${table('shipping_method')} (project_id, method_label) WHERE project_id = '${project}'`,
    );

    const same = methods.update(project, id, { ...ground, method_code: '01' });

    await expect(same).rejects.toThrow(/"labels"/);
  });
});

// The embedded database has one connection, so no call can wait for the lock of another one.
describe.skipIf(!serverUrl)('changes that wait for a lock of the host', () => {
  beforeAll(() => createCart(app.database));

  it('take one connection for each project, so that other projects go on', async () => {
    const [locked, other] = [freshProject(), freshProject()];
    await Promise.all([methods.create(locked, ground), methods.create(other, ground)]);

    const waiting = await app.database.dataSource.transaction(async (manager) => {
      await methods.create(locked, { ...ground, method_code: 'own' }, { manager });
      const creates = Array.from({ length: 30 }, (_, n) =>
        methods.create(locked, { ...ground, method_code: `m${n}` }),
      );
      await someoneWaitsFor(manager);
      await methods.list(other);
      await methods.create(other, { ...ground, method_code: '01' });
      await methods.remove(other, (await methods.findByCodes(other, 'ups', '03'))?.id ?? '');
      return { creates };
    });

    await Promise.all(waiting.creates);
    expect((await methods.list(locked)).meta.total).toBe(32);
    expect((await methods.list(other)).meta.total).toBe(1);
  });

  it('do not hold up the other methods in their batch', async () => {
    const [inCart, other] = [freshProject(), freshProject()];
    const [a, b] = await Promise.all([methods.create(inCart, ground), methods.create(other, ground)]);
    const { dataSource, table } = app.database;

    const { renamed } = await dataSource.transaction(async (manager) => {
      await manager.query(`INSERT INTO ${table('cart')} VALUES ($1, $2)`, [inCart, a.id]);
      const late = methods.update(inCart, a.id, { ...ground, method_code: 'renamed' });
      await methods.update(other, b.id, { ...ground, sort_order: 1 });
      return { renamed: late };
    });

    expect(await renamed).toMatchObject({ method_code: 'renamed', version: 2 });
  });

  it('time out together with the changes behind them, and change nothing', async () => {
    const database = await testDatabase({ extra: { options: '-c lock_timeout=500' } });
    const impatient = await testApp({ database });
    const service = impatient.nest.get(ShippingMethods);
    const project = freshProject();
    await service.create(project, ground);
    const sent = vi.spyOn(database.dataSource.logger, 'logQuery');

    const outcomes = await database.dataSource.transaction(async (manager) => {
      await service.create(project, { ...ground, method_code: 'own' }, { manager });
      sent.mockClear();
      return Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => service.create(project, { ...ground, method_code: `m${n}` })),
      );
    });
    const waited = sent.mock.calls.filter(
      ([sql]) => sql.includes('INSERT INTO') && !sql.includes('SKIP LOCKED'),
    );

    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'database_unavailable' } });
    // One of them was tried three times. The others had not begun.
    expect(waited).toHaveLength(3);
    expect((await service.list(project)).meta.total).toBe(2);
    await impatient.close();
    await database.close();
  });
});

describe.skipIf(!serverUrl)('a change that loses its connection', () => {
  it('makes those that wait behind it fail at once, with the promise that nothing was changed', async () => {
    const project = freshProject();
    await methods.create(project, ground);
    const { dataSource } = app.database;

    const outcomes = await dataSource.transaction(async (manager) => {
      await methods.create(project, { ...ground, method_code: 'own' }, { manager });
      const outcomesSoFar: PromiseSettledResult<unknown>[] = [];
      for (const method_code of ['a', 'b', 'c'])
        void Promise.allSettled([methods.create(project, { ...ground, method_code })]).then(([outcome]) =>
          outcomesSoFar.push(outcome),
        );
      const pid = await someoneWaitsFor(manager);
      await dataSource.query('SELECT pg_terminate_backend($1)', [pid]);
      // A call that fails at once needs far fewer tries. A call that waits needs the end of this transaction.
      for (let tries = 0; tries < 1000 && outcomesSoFar.length < 3; tries++) await manager.query('SELECT 1');
      return [...outcomesSoFar];
    });

    expect(outcomes).toMatchObject([
      { reason: { code: 'outcome_unknown' } },
      { reason: { code: 'database_unavailable' } },
      { reason: { code: 'database_unavailable' } },
    ]);
    expect((await methods.list(project)).meta.total).toBe(2);
  });
});

describe('many changes of one method at once', () => {
  it('are all made, one after the other', async () => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    const told: (number | undefined)[] = [];
    methods.changes.subscribe(({ after }) => told.push(after?.version));

    const updated = await Promise.all(
      Array.from({ length: 150 }, (_, n) => methods.update(project, id, { ...ground, sort_order: n + 1 })),
    );

    expect(new Set(updated.map(({ version }) => version)).size).toBe(150);
    expect((await methods.find(project, id)).version).toBe(151);
    // Each version once. Lost attempts are not reported.
    expect(told.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 150 }, (_, n) => n + 2),
    );
  });
});

describe.skipIf(!serverUrl).each(['repeatable\\ read', 'serializable'])(
  'a host whose transactions are %s by default',
  (level) => {
    it('can change methods as usual', async () => {
      const options = `-c default_transaction_isolation=${level}`;
      const database = await testDatabase({ extra: { options } });
      const host = await testApp({ database });
      const service = host.nest.get(ShippingMethods);
      const project = freshProject();
      const codes = Array.from({ length: 60 }, (_, n) => ({ ...ground, method_code: `m${n}` }));

      const made = await Promise.all(codes.map((own) => service.create(project, own)));
      const again = await Promise.allSettled(codes.map((own) => service.create(project, own)));
      const changed = await Promise.all(
        made.map(({ id, method_code }) =>
          service.update(project, id, { ...ground, method_code, sort_order: 1 }),
        ),
      );
      await Promise.all(changed.slice(1).map(({ id }) => service.remove(project, id)));

      for (const outcome of again)
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(DuplicateMethodError);
      expect((await service.list(project)).meta.total).toBe(1);
      await host.close();
      await database.close();
    });
  },
);
