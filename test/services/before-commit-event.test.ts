import { type OrderEventDto } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';

type Hook = (event: OrderEventDto, manager: EntityManager) => Promise<void>;

describe('beforeCommit.event', () => {
  const hook = vi.fn<Hook>();
  const host = mounted({ shipping: { beforeCommit: { event: hook } } });
  let project: string;
  beforeEach(() => {
    project = freshProject();
  });
  afterEach(() => {
    hook.mockReset();
  });
  const placed = (part = {}, orderId = 'o') =>
    [
      { projectId: project, orderId },
      { type: 'order.placed', ...part },
    ] as const;
  const stored = async (): Promise<string[]> =>
    (await host.events.findAll({ projectId: project, orderId: 'o' })).map(({ type }) => type);

  it('gets each event that is new, as it is stored, and no repeated one', async () => {
    const { repeated, ...event } = await host.events.record(
      ...placed({ dedupe_key: 'once', data: { n: 1 } }),
    );
    await host.events.record(...placed({ dedupe_key: 'once' }));

    const hookEvents = hook.mock.calls.map(([each]) => each);

    expect(repeated).toBe(false);
    expect(hookEvents).toEqual([event]);
  });

  it('runs in the transaction of the event, before its COMMIT', async () => {
    hook.mockImplementation(async (event, manager) => {
      expect(manager.queryRunner?.isTransactionActive).toBe(true);
      const { id, order_id } = event;
      expect(await host.events.findAll({ projectId: project, orderId: order_id }, { manager })).toMatchObject(
        [{ id }],
      );
      if (event.type === 'order.placed')
        await host.events.record(...placed({ type: 'message.sent' }, 'outbox'), { manager });
    });

    await host.events.record(...placed());

    expect(await host.events.findAll({ projectId: project, orderId: 'outbox' })).toHaveLength(1);
    expect(hook).toHaveBeenCalledTimes(2);
  });

  it('that throws keeps the event from being stored, and the caller gets the error', async () => {
    hook.mockRejectedValue(new Error('The outbox is full.'));

    await expect(host.events.record(...placed())).rejects.toThrow('The outbox is full.');
    const caught = host.dataSource.transaction(async (manager) => {
      await host.events.record(...placed(), { manager }).catch(() => undefined);
    });

    await expect(caught).rejects.toThrow(/Roll the transaction back/);
    expect(await stored()).toEqual([]);
  });

  it("joins the caller's transaction, and is rolled back with it", async () => {
    const managers: EntityManager[] = [];
    hook.mockImplementation((_event, manager) => Promise.resolve(void managers.push(manager)));

    const rolledBack = host.dataSource.transaction(async (manager) => {
      await host.events.record(...placed(), { manager });
      expect(managers).toEqual([manager]);
      throw new Error('undone');
    });

    await expect(rolledBack).rejects.toThrow('undone');
    expect(await stored()).toEqual([]);
  });

  it('gets a copy of the event, which it may change', async () => {
    const values = { data: { n: 1, parcel: { kg: 1 } }, actor: { type: 'system', id: null, label: 'Shop' } };
    hook.mockImplementation(async ({ data, actor }) => {
      Object.assign(data, { n: 2 });
      Object.assign(Object(data['parcel']), { kg: 2 });
      Object.assign(Object(actor), { label: 'Hook' });
    });

    const recorded = await host.events.record(...placed(values));

    expect(recorded).toMatchObject(values);
  });

  it('runs for one of many racing calls with the same key', async () => {
    hook.mockImplementation(async ({ order_id }, manager) => {
      if (order_id === 'o')
        await host.events.record(...placed({ type: 'message.sent' }, 'outbox'), { manager });
    });

    const racing = Array.from({ length: 12 }, () => host.events.record(...placed({ dedupe_key: 'once' })));
    const recorded = await Promise.all(racing);

    expect(recorded.filter(({ repeated }) => !repeated)).toHaveLength(1);
    // If an attempt loses a race on MariaDB, it is rolled back with the event that the hook has recorded.
    expect(await host.events.findAll({ projectId: project, orderId: 'outbox' })).toHaveLength(1);
  });
});
