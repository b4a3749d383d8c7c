import { DatabaseUnavailableError, OrderEvent, ShippingMethod } from 'nestjs-shipping';
import { type EntitySubscriberInterface, QueryFailedError } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine } from '../support/database.js';
import { anyStatement } from '../support/statements.js';

const host = mounted();

describe('a subscriber of the host', () => {
  it('may record an event in the transaction that TypeORM is about to commit', async () => {
    const { dataSource } = host.app.database;
    const projectId = freshProject();
    const outbox: EntitySubscriberInterface = {
      beforeTransactionCommit: ({ manager }) =>
        host.events.record({ projectId, orderId: 'o' }, { type: 'a.b' }, { manager }),
    };
    dataSource.subscribers.push(outbox);

    await dataSource.transaction((manager) => anyStatement(manager));
    dataSource.subscribers.pop();
    dataSource.subscribers.unshift(outbox);
    await dataSource.transaction((manager) => anyStatement(manager));
    dataSource.subscribers.shift();

    expect(await host.events.findAll({ projectId, orderId: 'o' })).toHaveLength(2);
  });

  it('learns of each method that is inserted, updated and removed', async () => {
    const seen: string[] = [];
    const note = (what: string) => () => void seen.push(what);
    host.dataSource.subscribers.push({
      listenTo: () => ShippingMethod,
      afterInsert: note('inserted'),
      afterUpdate: note('updated'),
      afterRemove: note('removed'),
    });
    const project = freshProject();

    const { id } = await host.methods.create(project, ground);
    await host.methods.update(project, id, { ...ground, sort_order: 1 });
    await host.methods.remove(project, id);

    host.dataSource.subscribers.pop();
    expect(seen).toEqual(['inserted', 'updated', 'removed']);
  });

  it('that refuses a transaction once does not prevent later calls on the same QueryRunner', async () => {
    const { dataSource } = host;
    const project = freshProject();
    const runner = dataSource.createQueryRunner();
    const run = (ending: () => unknown): Promise<unknown> =>
      runner.manager
        .transaction((manager) => host.methods.upsert(project, ground, { manager }).then(ending))
        .catch(String);
    dataSource.subscribers.push({ beforeTransactionStart: () => Promise.reject(new Error('no tenant')) });
    const refused = await run(() => 'committed');
    dataSource.subscribers.pop();

    const rolledBack = await run(() => Promise.reject(new Error('sold out')));
    const committed = await run(() => 'committed');

    await runner.release();
    expect([refused, rolledBack, committed]).toEqual(['Error: no tenant', 'Error: sold out', 'committed']);
  });

  it('may begin a nested transaction during a statement of a call', async () => {
    const { dataSource } = host;
    const project = freshProject();
    dataSource.subscribers.push({
      listenTo: () => ShippingMethod,
      beforeInsert: ({ manager }) => manager.transaction((inner) => anyStatement(inner)),
    });

    const created = await host.methods.create(project, ground);

    dataSource.subscribers.pop();
    expect((await host.methods.list(project)).data).toEqual([created]);
  });

  it.each(['with', 'without'])(
    'must not call during the statement of a call, %s the manager',
    async (how) => {
      const { dataSource } = host;
      const project = freshProject();
      dataSource.subscribers.push({
        listenTo: () => ShippingMethod,
        beforeInsert: ({ manager }) => host.methods.list(project, {}, how === 'with' ? { manager } : {}),
      });

      const creating = host.methods.create(project, ground);

      await expect(creating).rejects.toThrow('only for events of your own entities');
      dataSource.subscribers.pop();
      expect((await host.methods.list(project)).data).toEqual([]);
    },
  );

  it('must not call during a statement that commits by itself', async () => {
    const { dataSource } = host;
    const projectId = freshProject();
    dataSource.subscribers.push({
      listenTo: () => OrderEvent,
      beforeInsert: ({ manager }) => host.methods.list(projectId, {}, { manager }),
    });

    const recording = host.events.record({ projectId, orderId: 'o' }, { type: 'a.b' });

    await expect(recording).rejects.toThrow('only for events of your own entities');
    dataSource.subscribers.pop();
    expect(await host.events.findAll({ projectId, orderId: 'o' })).toEqual([]);
  });
});

describe('a subscriber of the host that fails', () => {
  const hooked = mounted({ shipping: { beforeCommit: { event: ({ type }) => refuse(type) } } });
  const refuse = (type: string): Promise<void> =>
    type === 'no.stock' ? Promise.reject(new Error(type)) : Promise.resolve();
  const coded = (code: string): Error => Object.assign(new Error(code), { code });
  const deadlock = engine.conflicts[0] ?? 'SQLITE_BUSY_SNAPSHOT';
  const failures: [string, Error][] = [
    ['a broker that is down', coded('ECONNREFUSED')],
    ['an error with the code of a deadlock', coded(deadlock)],
    ['a deadlock of a statement of its own', new QueryFailedError('INSERT INTO audit', [], coded(deadlock))],
    ['a race that a call of its own has lost', new DatabaseUnavailableError(coded(deadlock), 'race')],
  ];
  let subscribers: EntitySubscriberInterface[] = [];
  const subscribe = (subscriber: EntitySubscriberInterface): void => {
    ({ subscribers } = hooked.dataSource);
    subscribers.push(subscriber);
  };
  afterEach(() => void subscribers.pop());

  it('before a transaction begins does not hide the changes of the next one', async () => {
    const project = freshProject();
    const reported: unknown[] = [];
    const subscription = hooked.methods.changes.subscribe((change) => reported.push(change));
    const runner = hooked.dataSource.createQueryRunner();
    let begun = 0;
    subscribe({
      beforeTransactionStart: () => (++begun === 1 ? Promise.reject(new Error('The host fails')) : undefined),
    });

    await expect(runner.startTransaction()).rejects.toThrow('The host fails');
    await runner.manager.transaction((manager) => hooked.methods.create(project, ground, { manager }));

    await runner.release();
    subscription.unsubscribe();
    expect(reported).toHaveLength(1);
  });

  it('before it returns a promise does not end the process, if a call of ours has failed, too', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const throwAtOnce = (): never => {
      throw new Error('The host fails');
    };
    subscribe({
      beforeTransactionCommit: throwAtOnce,
      beforeQuery: ({ query }) => void (query === 'SELECT 2' && throwAtOnce()),
    });

    const placing = hooked.dataSource.transaction(async (manager) => {
      const failing = hooked.events.record(
        { projectId: freshProject(), orderId: 'o' },
        { type: 'no.stock' },
        { manager },
      );
      await Promise.allSettled([failing, manager.query('SELECT 2')]);
    });

    await expect(placing).rejects.toThrow('The host fails');
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it.each(failures)('after the COMMIT passes %s on, and the change is made once', async (_name, failure) => {
    const project = freshProject();
    subscribe({ afterTransactionCommit: () => Promise.reject(failure) });

    const creating = hooked.methods.create(project, ground);
    await expect(creating).rejects.toBe(failure);
    const recording = hooked.events.record({ projectId: project, orderId: 'o' }, { type: 'a.b' });
    await expect(recording).rejects.toBe(failure);

    expect((await hooked.methods.list(project)).meta.total).toBe(1);
    expect(await hooked.events.findAll({ projectId: project, orderId: 'o' })).toHaveLength(1);
  });

  it.each(failures)(
    'after the COMMIT passes %s on, on a query runner without a transaction',
    async (_name, failure) => {
      const project = freshProject();
      const runner = hooked.dataSource.createQueryRunner();
      subscribe({ afterTransactionCommit: () => Promise.reject(failure) });

      const creating = hooked.methods.create(project, ground, { manager: runner.manager });
      const [outcome] = await Promise.allSettled([creating]);

      await runner.release();
      expect(outcome).toEqual({ status: 'rejected', reason: failure });
      expect((await hooked.methods.list(project)).meta.total).toBe(1);
    },
  );
});
