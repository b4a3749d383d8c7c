import { ShippingMethod } from 'nestjs-shipping';
import { type EntitySubscriberInterface, QueryFailedError } from 'typeorm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { engine } from '../support/database.js';
import { anyStatement } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

const host = mounted();

describe('a subscriber of the host', () => {
  it('may record an event in the transaction that TypeORM is about to commit', async () => {
    const { dataSource } = host.app.database;
    const projectId = freshProject();
    const outbox: EntitySubscriberInterface = {
      beforeTransactionCommit: ({ manager }) =>
        host.events.record(projectId, 'o', { type: 'a.b' }, { manager }),
    };
    // Subscribers in the options of a DataSource come before ours, too.
    dataSource.subscribers.unshift(outbox);

    await dataSource.transaction((manager) => anyStatement(manager));
    dataSource.subscribers.shift();

    expect(await host.events.list(projectId, 'o')).toHaveLength(1);
  });

  it('that begins a nested transaction during a statement of a call waits for two minutes', async () => {
    const { dataSource } = host;
    const project = freshProject();
    const nesting: EntitySubscriberInterface = {
      listenTo: () => ShippingMethod,
      beforeInsert: ({ manager }) => {
        void vi.advanceTimersByTimeAsync(120_000);
        return manager.transaction((inner) => anyStatement(inner));
      },
    };
    dataSource.subscribers.push(nesting);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

    const created = await host.methods.create(project, ground);

    vi.useRealTimers();
    dataSource.subscribers.splice(dataSource.subscribers.indexOf(nesting), 1);
    expect((await host.methods.list(project)).data).toEqual([created]);
  });

  it('that calls during the statement of another call fails after two minutes', async () => {
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
      cause: { message: expect.stringContaining('only for events of your own entities') },
    });
    vi.useRealTimers();
    dataSource.subscribers.splice(dataSource.subscribers.indexOf(waiting), 1);
    expect((await host.methods.list(project)).data).toEqual([]);
  });
});

describe('a subscriber of the host that fails', () => {
  const hooked = mounted({ shipping: { beforeCommit: { event: () => Promise.resolve() } } });
  const coded = (code: string): Error => Object.assign(new Error(code), { code });
  const deadlock = engine.conflicts[0] ?? 'SQLITE_BUSY_SNAPSHOT';
  const failures: [string, Error][] = [
    ['a broker that is down', coded('ECONNREFUSED')],
    ['an error with the code of a deadlock', coded(deadlock)],
    ['a deadlock of a statement of its own', new QueryFailedError('INSERT INTO audit', [], coded(deadlock))],
  ];
  let subscribers: EntitySubscriberInterface[] = [];
  const subscribe = (subscriber: EntitySubscriberInterface): void => {
    ({ subscribers } = hooked.dataSource);
    subscribers.push(subscriber);
  };
  afterEach(() => void subscribers.pop());

  it.each(failures)('after the COMMIT passes %s on, and the change is made once', async (_name, failure) => {
    const project = freshProject();
    subscribe({ afterTransactionCommit: () => Promise.reject(failure) });

    const creating = hooked.methods.create(project, ground);
    await expect(creating).rejects.toBe(failure);
    const recording = hooked.events.record(project, 'o', { type: 'a.b' });
    await expect(recording).rejects.toBe(failure);

    expect((await hooked.methods.list(project)).meta.total).toBe(1);
    expect(await hooked.events.list(project, 'o')).toHaveLength(1);
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
