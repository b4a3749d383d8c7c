import { DuplicateMethodError, MethodInUseError, OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { type EntityManager, type EntitySubscriberInterface } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';
import { engine, onlyWhere, testDatabase } from '../support/database.js';
import { anyStatement, watchStatements } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

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
    expect(create).toMatchObject({ status: 'fulfilled' });
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
      await anyStatement(outer);
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
      for (let n = 0; n < statements; n++) await anyStatement(runner);
      await Promise.all([runner.rollbackTransaction(), Promise.allSettled(calls)]);
    }
    await runner.release();
    subscription.unsubscribe();

    expect([told, (await methods.list(project)).data]).toEqual([[], []]);
  });

  it('are committed even when the host does not wait for them', async () => {
    const project = freshProject();
    const { dataSource } = app.database;

    await dataSource.transaction((manager) => {
      void Promise.all(recordTwice(project, manager));
      return anyStatement(manager);
    });

    expect(await events.list(project, 'o')).toHaveLength(2);
    const transactions = await engine.transactionsOfEvents(dataSource.manager, project);
    expect(transactions ?? 1).toBe(1);
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

    await dataSource.transaction((manager) => anyStatement(manager));
    dataSource.subscribers.shift();

    expect(await events.list(projectId, 'o')).toHaveLength(1);
  });
});

describe('a trigger of the host that refuses', () => {
  it.each(['INSERT', 'UPDATE'] as const)(
    'an %s fails the call at once, with the message of the trigger',
    async (event) => {
      const own = await testApp();
      const service = own.nest.get(ShippingMethods);
      const project = freshProject();
      const { id } = await service.create(project, ground);
      await engine.refuse(own.database.dataSource.manager, {
        table: 'shipping_method',
        on: event,
        message: 'The host says no',
      });
      const changed = { ...ground, method_label: 'Changed' };
      const attempts = {
        INSERT: [() => service.create(project, { ...ground, method_code: '01' })],
        UPDATE: [() => service.update(project, id, changed), () => service.upsert(project, changed)],
      }[event];

      for (const attempt of attempts) await expect(attempt()).rejects.toThrow('The host says no');

      expect((await service.list(project)).data).toMatchObject([ground]);
      await own.close();
    },
  );
});

describe('a host’s own rule', () => {
  onlyWhere('lostRaces', () => {
    it('that is busy for one tenant does not refuse the others', async () => {
      await engine.refuse(app.database.dataSource.manager, {
        table: 'shipping_method',
        on: 'INSERT',
        where: { carrier_code: 'busy' },
        message: 'busy',
        conflict: engine.lockTimeout,
      });
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
  });

  it('that refers to the codes refuses new codes, as it refuses a delete', async () => {
    const { manager } = app.database.dataSource;
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    await engine.createQuotes(manager);
    await engine.addQuote(manager, project, 'ups', '03');

    const renamed = methods.update(project, id, { ...ground, method_code: '04' });

    await expect(renamed).rejects.toThrow(MethodInUseError);
    await expect(methods.remove(project, id)).rejects.toThrow(MethodInUseError);
    expect(await methods.update(project, id, { ...ground, sort_order: 1 })).toMatchObject({ version: 2 });
  });

  it('that makes another column unique is not reported as a duplicate method', async () => {
    const project = freshProject();
    await methods.create(project, ground);
    const { id } = await methods.create(project, { ...ground, method_code: '01', method_label: 'Other' });
    await engine.makeLabelsUnique(app.database.dataSource.manager, project);

    const same = methods.update(project, id, { ...ground, method_code: '01' });

    await expect(same).rejects.toThrow(/["']labels["']/);
  });
});

onlyWhere('severalConnections', () => {
  describe('changes that wait for a lock of the host', () => {
    beforeAll(() => engine.createCart(app.database.dataSource.manager));

    it('take one connection for each project, so that other projects go on', async () => {
      const [locked, other] = [freshProject(), freshProject()];
      await Promise.all([methods.create(locked, ground), methods.create(other, ground)]);

      const waiting = await app.database.dataSource.transaction(async (manager) => {
        await methods.create(locked, { ...ground, method_code: 'own' }, { manager });
        const creates = Array.from({ length: 30 }, (_, n) =>
          methods.create(locked, { ...ground, method_code: `m${n}` }),
        );
        await engine.someoneWaitsFor(manager);
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
      const { dataSource } = app.database;

      const { renamed } = await dataSource.transaction(async (manager) => {
        await engine.putIntoCart(manager, inCart, a.id);
        const late = methods.update(inCart, a.id, { ...ground, method_code: 'renamed' });
        await methods.update(other, b.id, { ...ground, sort_order: 1 });
        return { renamed: late };
      });

      expect(await renamed).toMatchObject({ method_code: 'renamed', version: 2 });
    });

    it('time out together with the changes behind them, and change nothing', async () => {
      const database = await testDatabase({ lockTimeoutMs: 500 });
      const impatient = await testApp({ database });
      const service = impatient.nest.get(ShippingMethods);
      const project = freshProject();
      await service.create(project, ground);
      const { sent } = watchStatements(database.dataSource);

      const outcomes = await database.dataSource.transaction(async (manager) => {
        await service.create(project, { ...ground, method_code: 'own' }, { manager });
        sent.length = 0;
        return Promise.allSettled(
          Array.from({ length: 8 }, (_, n) => service.create(project, { ...ground, method_code: `m${n}` })),
        );
      });
      const waited = sent.filter((sql) => /UPDATE \S*shipping_project/.test(sql));

      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'database_unavailable' } });
      // Only one of them was tried. The others had not begun.
      expect(waited).toHaveLength(1);
      expect((await service.list(project)).meta.total).toBe(2);
      await impatient.close();
      await database.close();
    });
  });

  describe('a change that loses its connection', () => {
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
        const waiting = await engine.someoneWaitsFor(manager);
        await engine.killConnection(dataSource.manager, waiting);
        // A call that fails at once needs far fewer tries. A call that waits needs the end of this transaction.
        for (let tries = 0; tries < 1000 && outcomesSoFar.length < 3; tries++) await anyStatement(manager);
        return [...outcomesSoFar];
      });

      expect(outcomes).toMatchObject([
        { reason: { code: 'database_unavailable' } },
        { reason: { code: 'database_unavailable' } },
        { reason: { code: 'database_unavailable' } },
      ]);
      expect((await methods.list(project)).meta.total).toBe(2);
    });
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

onlyWhere('severalConnections', () => {
  describe.each(engine.isolationLevels)('a host whose transactions are %s by default', (isolation) => {
    it('can change methods as usual', async () => {
      const database = await testDatabase({ isolation });
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
  });
});
