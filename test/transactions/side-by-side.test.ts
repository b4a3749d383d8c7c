import { DuplicateMethodError, MethodInUseError, ShippingMethod, ShippingMethods } from 'nestjs-shipping';
import { type EntityManager, type EntitySubscriberInterface } from 'typeorm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';
import { engine, onlyWhere, testDatabase } from '../support/database.js';
import { anyStatement, watchStatements } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

const statuses = (outcomes: readonly PromiseSettledResult<unknown>[]): string[] =>
  outcomes.map(({ status }) => status);

const host = mounted();

describe('parallel calls in one transaction', () => {
  it('are refused one by one, and the other writes and reads succeed', async () => {
    const project = freshProject();
    await host.methods.create(project, ground);
    const b = await host.methods.create(project, { ...ground, method_code: 'b' });
    const c = await host.methods.create(project, { ...ground, method_code: 'c' });

    const outcomes = await host.dataSource.transaction((manager) =>
      Promise.allSettled([
        host.methods.update(project, b.id, ground, { manager }),
        host.methods.update(project, c.id, ground, { manager }),
        host.methods.list(project, {}, { manager }),
        host.methods.upsert(project, { ...ground, method_label: 'X' }, { manager }),
        host.methods.upsert(project, { ...ground, method_label: 'Y' }, { manager }),
      ]),
    );

    expect(statuses(outcomes)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect((await host.methods.findByCodes(project, 'ups', '03'))?.version).toBe(3);
  });
});

describe('parallel calls in a transaction that ends', () => {
  const recordTwice = (projectId: string, manager: EntityManager): Promise<unknown>[] =>
    [1, 2].map((n) =>
      host.events.record({ projectId, orderId: 'o', type: 'order.placed', data: { n } }, { manager }),
    );

  it('leave nothing behind after a rollback, whether they had begun or not', async () => {
    const project = freshProject();
    let calls: Promise<unknown>[] = [];

    const placing = host.dataSource.transaction((manager) => {
      calls = [...recordTwice(project, manager), host.methods.create(project, ground, { manager })];
      return Promise.all([...calls, Promise.reject(new Error('The host fails'))]);
    });

    await expect(placing).rejects.toThrow('The host fails');
    const [, , create] = await Promise.allSettled(calls);
    expect(create).toMatchObject({ status: 'fulfilled' });
    expect(await host.events.list(project, 'o')).toEqual([]);
    expect((await host.methods.list(project)).data).toEqual([]);
  });

  onlyWhere('connections', () => {
    it('are refused when the ROLLBACK is on its way, and leave nothing behind', async () => {
      const project = freshProject();
      let late: Promise<unknown> | undefined;

      const placing = host.dataSource.transaction(async (manager) => {
        const end = await engine.intercept(manager, (sql, send) => {
          if (/ROLLBACK/.test(sql)) late = Promise.allSettled(recordTwice(project, manager)).finally(end);
          return send();
        });
        throw new Error('The host fails');
      });

      await expect(placing).rejects.toThrow('The host fails');
      const refused = { status: 'rejected', reason: { code: 'database_unavailable' } };
      expect(await late).toMatchObject([refused, refused]);
      expect(await host.events.list(project, 'o')).toEqual([]);
    });
  });

  it('are not reported after a rollback on a connection of the host, at whatever point it comes', async () => {
    const told: unknown[] = [];
    const subscription = host.methods.changes.subscribe((change) => told.push(change));
    const runner = host.dataSource.createQueryRunner();
    const project = freshProject();
    for (let statements = 0; statements < 12; statements++) {
      await runner.startTransaction();
      const calls = ['a', 'b', 'c'].map((method_code) =>
        host.methods.create(project, { ...ground, method_code }, { manager: runner.manager }),
      );
      for (let n = 0; n < statements; n++) await anyStatement(runner);
      await Promise.all([runner.rollbackTransaction(), Promise.allSettled(calls)]);
    }
    await runner.release();
    subscription.unsubscribe();

    expect([told, (await host.methods.list(project)).data]).toEqual([[], []]);
  });
});

describe('parallel calls that the host does not wait for', () => {
  it('are committed with the transaction, or with the savepoint, in which they were made', async () => {
    const project = freshProject();

    await host.dataSource.transaction(async (manager) => {
      void host.methods.create(project, ground, { manager });
      await manager.transaction(async (inner) => {
        void host.methods.create(project, { ...ground, method_code: '01' }, { manager: inner });
        await anyStatement(inner);
      });
      void host.methods.create(project, { ...ground, method_code: '02' }, { manager });
    });

    expect((await host.methods.list(project)).meta.total).toBe(3);
  });

  onlyWhere('connections', () => {
    it('are committed also when they are made while the COMMIT waits for another one', async () => {
      const project = freshProject();
      let write = (): void => undefined;
      const writing = new Promise<void>((resolve) => {
        write = resolve;
      });
      let calls: Promise<unknown> = Promise.resolve();

      await host.dataSource.transaction(async (manager) => {
        const create = (method_code: string): Promise<unknown> =>
          host.methods.create(project, { ...ground, method_code }, { manager });
        const end = await engine.intercept(manager, (sql, send) => {
          if (/INSERT INTO \S*shipping_method\b/.test(sql)) write();
          return send();
        });
        calls = Promise.allSettled([create('01'), writing.then(() => create('02'))]).finally(end);
      });
      await calls;

      expect((await host.methods.list(project)).meta.total).toBe(2);
    });
  });
});

describe('a subscriber of the host', () => {
  it('may record an event in the transaction that TypeORM is about to commit', async () => {
    const { dataSource } = host.app.database;
    const projectId = freshProject();
    const outbox: EntitySubscriberInterface = {
      beforeTransactionCommit: ({ manager }) =>
        host.events.record({ projectId, orderId: 'o', type: 'a.b' }, { manager }),
    };
    // Before our subscriber, like those in the options of a DataSource.
    dataSource.subscribers.unshift(outbox);

    await dataSource.transaction((manager) => anyStatement(manager));
    dataSource.subscribers.shift();

    expect(await host.events.list(projectId, 'o')).toHaveLength(1);
  });

  it('that calls during the statement of another call fails after two minutes, and hangs nobody', async () => {
    const { dataSource } = host;
    const project = freshProject();
    const waiting: EntitySubscriberInterface = {
      listenTo: () => ShippingMethod,
      beforeInsert: ({ manager }) => {
        const late = host.methods.list(project, {}, { manager });
        void vi.advanceTimersByTimeAsync(120_000);
        return late;
      },
    };
    dataSource.subscribers.push(waiting);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

    const creating = host.methods.create(project, ground);

    await expect(creating).rejects.toMatchObject({
      cause: { message: expect.stringContaining('only for your own entities') },
    });
    vi.useRealTimers();
    dataSource.subscribers.splice(dataSource.subscribers.indexOf(waiting), 1);
    expect((await host.methods.list(project)).data).toEqual([]);
  });
});

describe('a host’s own rule', () => {
  it.each(['INSERT', 'UPDATE'] as const)(
    'that refuses an %s fails the call at once, with its message',
    async (on) => {
      const project = freshProject();
      await host.methods.create(project, ground);
      const allow = await engine.refuse(host.dataSource.manager, {
        table: 'shipping_method',
        on,
        where: { project_id: project },
        message: 'The host says no',
      });
      const method_code = on === 'INSERT' ? '01' : ground.method_code;

      const written = host.methods.upsert(project, { ...ground, method_code, method_label: 'Changed' });

      await expect(written).rejects.toThrow('The host says no');
      await allow();
      expect((await host.methods.list(project)).data).toMatchObject([ground]);
    },
  );

  it('that refers to the codes refuses new codes, as it refuses a delete', async () => {
    const { manager } = host.dataSource;
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    await engine.createQuotes(manager);
    await engine.addQuote(manager, project, 'ups', '03');

    for (const code of [{ method_code: '04' }, { carrier_code: 'dhl' }])
      await expect(host.methods.update(project, id, { ...ground, ...code })).rejects.toThrow(
        MethodInUseError,
      );
    await expect(host.methods.remove(project, id)).rejects.toThrow(MethodInUseError);
    expect(await host.methods.update(project, id, { ...ground, sort_order: 1 })).toMatchObject({
      version: 2,
    });
  });

  it('that makes another column unique is not reported as a duplicate method', async () => {
    const project = freshProject();
    await host.methods.create(project, ground);
    const { id } = await host.methods.create(project, {
      ...ground,
      method_code: '01',
      method_label: 'Other',
    });
    await engine.makeLabelsUnique(host.dataSource.manager, project);

    const same = host.methods.update(project, id, { ...ground, method_code: '01' });

    await expect(same).rejects.toThrow(/["']labels["']/);
  });
});

onlyWhere('severalConnections', () => {
  describe('changes that wait for a lock of the host', () => {
    beforeAll(() => engine.createCart(host.dataSource.manager));

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
      await host.methods.create(project, ground);
      const { dataSource } = host.app.database;

      const outcomes = await dataSource.transaction(async (manager) => {
        await host.methods.create(project, { ...ground, method_code: 'own' }, { manager });
        const outcomesSoFar: PromiseSettledResult<unknown>[] = [];
        for (const method_code of ['a', 'b', 'c'])
          void Promise.allSettled([host.methods.create(project, { ...ground, method_code })]).then(
            ([outcome]) => outcomesSoFar.push(outcome),
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
      expect((await host.methods.list(project)).meta.total).toBe(2);
    });
  });
});

onlyWhere('severalConnections', () => {
  describe.each(engine.isolationLevels)('a host whose transactions are %s by default', (isolation) => {
    it('can change methods as usual', async () => {
      const database = await testDatabase({ isolation });
      const own = await testApp({ database });
      const service = own.nest.get(ShippingMethods);
      const project = freshProject();
      const codes = Array.from({ length: 60 }, (_, n) => ({ ...ground, method_code: `m${n}` }));

      const made = await Promise.all(codes.map((each) => service.create(project, each)));
      const again = await Promise.allSettled(codes.map((each) => service.create(project, each)));
      const changed = await Promise.all(
        made.map(({ id, method_code }) =>
          service.update(project, id, { ...ground, method_code, sort_order: 1 }),
        ),
      );
      await Promise.all(changed.slice(1).map(({ id }) => service.remove(project, id)));

      for (const outcome of again)
        expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(DuplicateMethodError);
      expect((await service.list(project)).meta.total).toBe(1);
      await own.close();
      await database.close();
    });

    it('loses no race for good, with four instances that change one project', async () => {
      const database = await testDatabase({ isolation, connections: 2 });
      const apps = await Promise.all(
        Array.from({ length: 4 }, async () => testApp({ database: await database.another() })),
      );
      const services = apps.map(({ nest }) => nest.get(ShippingMethods));
      const project = freshProject();

      const created = services.map(async (service, instance) => {
        for (let n = 0; n < 25; n++)
          await service.create(project, { ...ground, method_code: `m${instance}-${n}` });
      });
      await Promise.all(created);

      expect((await services[0]?.list(project))?.meta.total).toBe(100);
      for (const app of apps) await app.close();
      await database.close();
    });
  });
});
