import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type OrderEventDto, type ShippingMethodChange, ShippingProject } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine } from '../support/database.js';
import { anyStatement } from '../support/statements.js';

const nothing = (): Promise<unknown> => Promise.resolve();
const slowNested = (manager: EntityManager): Promise<unknown> =>
  manager.transaction(async (inner) => [await delay(20), await anyStatement(inner)]);

describe('parallel calls in a hook, whose own hooks begin nested transactions,', () => {
  let change: (manager: EntityManager) => Promise<unknown> = nothing;
  let event: (manager: EntityManager) => Promise<unknown> = nothing;
  const host = mounted({
    shipping: {
      beforeCommit: {
        change: async (_change: ShippingMethodChange, manager) => void (await change(manager)),
        event: async (_event: OrderEventDto, manager) => void (await event(manager)),
      },
    },
  });
  let project: string;
  const record = (manager: EntityManager): Promise<unknown> =>
    host.events.record(project, 'o', { type: 'a.b' }, { manager });
  const rows = () => host.dataSource.getRepository(ShippingProject);
  beforeAll(() => engine.createCart(host.dataSource.manager));
  beforeEach(() => {
    project = freshProject();
  });
  afterEach(() => {
    change = event = nothing;
  });

  it('end, even if the second one is made while the first one has its nested transaction open', async () => {
    event = slowNested;
    change = (manager) => Promise.all([record(manager), delay(10).then(() => record(manager))]);

    await host.methods.create(project, ground);

    expect(await host.events.list(project, 'o')).toHaveLength(2);
  });

  it('end before a nested transaction of the hook begins, which may then be rolled back alone', async () => {
    event = slowNested;
    const refused = async (manager: EntityManager): Promise<void> => {
      await manager.insert(ShippingProject, { projectId: `${project}-refused`, revision: randomUUID() });
      await delay(10);
      throw new Error('refused');
    };
    change = (manager) =>
      Promise.all([record(manager), manager.transaction(refused).catch((error: Error) => error.message)]);

    await host.methods.create(project, ground);

    const totals = Array.from({ length: 4 }, async () => (await host.methods.list(project)).meta.total);
    expect(await Promise.all(totals)).toEqual([1, 1, 1, 1]);
    expect(await host.events.list(project, 'o')).toHaveLength(1);
    expect(await rows().countBy({ projectId: `${project}-refused` })).toBe(0);
  });

  it('store nothing once a failed call has rolled back their transaction', async () => {
    const used = await host.methods.create(project, ground);
    await engine.putIntoCart(host.dataSource.manager, project, used.id);
    const types: string[] = [];
    const late = `${project}-late`;
    const listening = host.methods.changes.subscribe(({ type }) => types.push(type));

    const placing = host.dataSource.transaction(async (manager) => {
      const outcomes = await Promise.allSettled([
        host.methods.remove(project, used.id, { manager }),
        manager.transaction(anyStatement),
        delay(50).then(() => host.methods.create(project, { ...ground, method_code: 'late' }, { manager })),
        delay(50).then(() => manager.insert(ShippingProject, { projectId: late, revision: randomUUID() })),
      ]);
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    });

    await expect(placing).rejects.toMatchObject({ code: 'method_in_use' });
    listening.unsubscribe();
    expect(types).toEqual([]);
    expect((await host.methods.list(project)).data.map(({ method_code }) => method_code)).toEqual(['03']);
    expect(await rows().countBy({ projectId: late })).toBe(0);
  });
});
