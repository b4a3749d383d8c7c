import { setTimeout as delay } from 'node:timers/promises';
import { type ShippingMethodChange } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

type OnChange = (change: ShippingMethodChange, manager: EntityManager) => Promise<void>;

const nothing: OnChange = () => Promise.resolve();

describe('a call in beforeCommit.change', () => {
  let hook = nothing;
  const host = mounted({
    shipping: { beforeCommit: { change: (change, manager) => hook(change, manager) } },
  });
  afterEach(() => {
    hook = nothing;
  });

  it('joins the transaction by its manager, in the same project too', async () => {
    const [project, mirror] = [freshProject(), freshProject()];
    hook = async ({ after }, manager) => {
      if (after?.project_id !== project || after.method_code !== '03') return;
      await host.methods.upsert(mirror, ground, { manager });
      await host.methods.upsert(project, express, { manager });
    };
    const reported: (string | undefined)[] = [];
    const subscription = host.methods.changes.subscribe(({ after }) =>
      reported.push(`${after?.project_id === mirror ? 'mirror' : 'project'} ${after?.method_code}`),
    );

    const created = await host.methods.create(project, ground);
    await host.methods.upsertMany(project, [{ ...ground, sort_order: 1 }]);
    subscription.unsubscribe();

    expect(created).toMatchObject(ground);
    expect((await host.methods.list(mirror)).data).toMatchObject([ground]);
    expect((await host.methods.list(project)).data).toMatchObject([express, { ...ground, sort_order: 1 }]);
    // A change comes before those that follow from it.
    expect(reported).toEqual(['project 03', 'mirror 03', 'project 01', 'project 03']);
  });

  it.each(['of its own', 'of the caller'])(
    'belongs to the transaction %s, even if nobody awaits it',
    async (whose) => {
      const [project, mirror] = [freshProject(), freshProject()];
      let left: Promise<unknown> = Promise.resolve();
      hook = async ({ after }, manager) => {
        const create = (n: number): Promise<unknown> =>
          host.methods.create(mirror, { ...ground, method_code: `${n}` }, { manager });
        if (after?.project_id === project) left = Promise.allSettled([1, 2, 3].map(create));
      };

      if (whose === 'of the caller')
        await host.dataSource.transaction((manager) => host.methods.create(project, ground, { manager }));
      else await host.methods.create(project, ground);
      await left;

      expect((await host.methods.list(mirror)).meta.total).toBe(3);
    },
  );

  it('may come from a worker outside of the hook, after the call of the hook has run its own hook', async () => {
    const [project, mirror] = [freshProject(), freshProject()];
    const order = { projectId: mirror, orderId: 'o' };
    let hand: (manager: EntityManager) => void = () => undefined;
    const handed = new Promise<EntityManager>((resolve) => (hand = resolve));
    const worker = handed.then((manager) => host.events.record(order, { type: 'a.b' }, { manager }));
    hook = async ({ after }, manager) => {
      if (after?.project_id !== project) return;
      await host.methods.create(mirror, ground, { manager });
      hand(manager);
      await worker;
    };

    await host.methods.create(project, ground);

    expect(await host.events.findAll(order)).toHaveLength(1);
  });

  it('is made before the COMMIT, although nobody awaits the call of the hook', async () => {
    const [project, failing] = [freshProject(), freshProject()];
    const order = { projectId: project, orderId: 'o' };
    hook = async (_change, manager) => {
      await delay(50);
      await host.events.record(order, { type: 'a.b' }, { manager });
    };
    const place = async (projectId: string): Promise<unknown> => {
      let creating: Promise<unknown> = Promise.resolve();
      const placing = host.dataSource.transaction(async (manager) => {
        creating = host.methods.create(projectId, ground, { manager }).catch(() => 'failed');
        await delay(20);
      });
      return [await placing.then(() => 'placed').catch(() => 'failed'), await creating];
    };

    await place(project);
    expect(await host.events.findAll(order)).toHaveLength(1);
    hook = async () => {
      await delay(50);
      throw new Error('The hook fails');
    };
    expect(await place(failing)).toEqual(['failed', 'failed']);
    expect((await host.methods.list(failing)).meta.total).toBe(0);
  });

  it.each<[string, (project: string) => Promise<unknown>]>([
    ['a change of the same project', (project) => host.methods.create(project, express)],
    ['a change of another project', () => host.methods.create(freshProject(), express)],
    ['a read', (project) => host.methods.list(project)],
    ['an event', (projectId) => host.events.record({ projectId, orderId: 'o' }, { type: 'a.b' })],
  ])('without the manager is refused at once, and nothing is stored: %s', async (_name, call) => {
    const project = freshProject();
    hook = async ({ after }) => {
      if (after?.method_code === '03') await call(project);
    };

    const creating = host.methods.create(project, ground);

    await expect(creating).rejects.toThrow('Pass it as { manager }');
    expect((await host.methods.list(project)).meta.total).toBe(0);
    expect(await host.methods.create(project, express)).toMatchObject(express);
  });

  it('needs no manager when the change is over', async () => {
    const [project, later] = [freshProject(), freshProject()];
    let over = (): void => undefined;
    const isOver = new Promise<void>((resolve) => (over = resolve));
    let left: Promise<unknown> = Promise.resolve();
    hook = async ({ after }) => {
      if (after?.project_id === project) left = isOver.then(() => host.methods.create(later, ground));
    };

    await host.methods.create(project, ground);
    over();

    expect(await left).toMatchObject(ground);
  });
});
