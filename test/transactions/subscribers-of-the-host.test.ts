import { ShippingMethod } from 'nestjs-shipping';
import { type EntitySubscriberInterface } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { anyStatement } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

const host = mounted();

describe('a subscriber of the host', () => {
  it('may record an event in the transaction that TypeORM is about to commit', async () => {
    const { dataSource } = host.app.database;
    const projectId = freshProject();
    const outbox: EntitySubscriberInterface = {
      beforeTransactionCommit: ({ manager }) =>
        host.events.record({ projectId, orderId: 'o', type: 'a.b' }, { manager }),
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
