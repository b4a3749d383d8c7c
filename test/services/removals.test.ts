import { AsyncLocalStorage } from 'node:async_hooks';
import {
  InvalidParameterError,
  MethodInUseError,
  OrderEvent,
  OrderEvents,
  type ShippingMethodChange,
  ShippingProject,
} from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { watchStatements } from '../support/statements.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

const host = mounted({ shipping: { entityManager: () => ambient.getStore(), maxMethods: 1001 } });
const ambient = new AsyncLocalStorage<EntityManager>();
beforeAll(async () => {
  await engine.createCart(host.dataSource.manager);
});

describe('ShippingMethods.removeProject', () => {
  it('removes the methods and the row of one project, counts them, and tells of each', async () => {
    const [project, other] = [freshProject(), freshProject()];
    const { methods: stored } = await host.methods.upsertMany(project, [ground, express]);
    await host.methods.create(other, ground);
    const seen: ShippingMethodChange[] = [];
    const subscription = host.methods.changes.subscribe((change) => seen.push(change));

    const [first, second] = [
      await host.methods.removeProject(project),
      await host.methods.removeProject(project),
    ];
    subscription.unsubscribe();

    expect([first, second]).toEqual([2, 0]);
    expect(seen.map(({ type, before }) => [type, before?.id]).toSorted()).toEqual(
      stored.map(({ id }) => ['deleted', id]).toSorted(),
    );
    const { manager } = host.dataSource;
    expect(await manager.countBy(ShippingProject, { projectId: project })).toBe(0);
    expect((await host.methods.list(project)).meta.total).toBe(0);
    expect((await host.methods.list(other)).meta.total).toBe(1);
  });

  it('removes 1,001 methods that one call of upsertMany has created', async () => {
    const project = freshProject();
    const requests = Array.from({ length: 1001 }, (_, n) => ({ ...ground, method_code: `${n}` }));

    const { created } = await host.methods.upsertMany(project, requests);

    expect(created).toHaveLength(1001);
    expect(await host.methods.removeProject(project)).toBe(1001);
    expect((await host.methods.list(project)).meta.total).toBe(0);
  });

  it('leaves a project that can be filled again, and whose old ETag is out of date', async () => {
    const project = freshProject();
    const shop = new Client(host.app.origin, project);
    await shop.create(ground);
    const etag = (await shop.list()).headers.get('etag') ?? '';

    await host.methods.removeProject(project);
    const emptied = await shop.list('', { 'if-none-match': etag });
    await shop.create(ground);

    expect(emptied).toMatchObject({ status: 200, body: { data: [] } });
    expect((await shop.list('', { 'if-none-match': etag })).body.data).toMatchObject([ground]);
  });

  it.each(['own', "caller's", 'ambient'] as const)(
    'removes nothing while your foreign key refers to one of the methods: in the %s transaction',
    async (kind) => {
      const project = freshProject();
      const { methods: stored } = await host.methods.upsertMany(project, [ground, express]);
      const { dataSource } = host.app.database;
      await engine.putIntoCart(dataSource.manager, project, stored[1]?.id ?? '');
      const caught = (manager?: EntityManager) =>
        host.methods.removeProject(project, { manager }).catch(() => undefined);
      const calls = {
        own: () => host.methods.removeProject(project),
        "caller's": () => dataSource.transaction(caught),
        ambient: () => dataSource.transaction((manager) => ambient.run(manager, () => caught())),
      };

      const committed = calls[kind]();

      await expect(committed).rejects.toThrow(kind === 'own' ? MethodInUseError : 'has failed: roll it back');
      expect((await host.methods.list(project)).meta.total).toBe(2);
    },
  );

  it('removes the row of the project in the same transaction', async () => {
    const project = freshProject();
    await host.methods.create(project, ground);
    const { manager } = host.dataSource;

    expect(await host.methods.removeProject(project)).toBe(1);
    expect(await manager.countBy(ShippingProject, { projectId: project })).toBe(0);
    const { id } = await host.methods.create(project, ground);
    await host.methods.remove(project, id);
    expect(await host.methods.removeProject(project)).toBe(0);

    expect(await manager.countBy(ShippingProject, { projectId: project })).toBe(0);
  });

  it('refuses a project id of another form', async () => {
    await expect(host.methods.removeProject('a/b')).rejects.toThrow(InvalidParameterError);
    await expect(host.events.removeProject('a/b')).rejects.toThrow(InvalidParameterError);
    await expect(host.events.removeOrder('a', '')).rejects.toThrow(InvalidParameterError);
  });

  it('racing with creates loses none: each created method is there, or was removed', async () => {
    const project = freshProject();
    const codes = Array.from({ length: 40 }, (_, n) => ({ ...ground, method_code: `${n}` }));

    const outcomes = await Promise.all(
      codes.map(async (method, n) => {
        await host.methods.create(project, method);
        return n % 8 === 0 ? host.methods.removeProject(project) : 0;
      }),
    );

    const removed = outcomes.reduce((sum, count) => sum + count, 0);
    expect((await host.methods.list(project)).meta.total).toBe(40 - removed);
  });
});

describe('OrderEvents', () => {
  const left = (projectId: string, orderId: string): Promise<number> =>
    host.dataSource.manager.countBy(OrderEvent, { projectId, orderId });

  it('removeOrder removes 2,500 events of one order in batches, and no other event', async () => {
    const projectId = freshProject();
    const { dataSource } = host.app.database;
    await addEvents(dataSource.manager, { projectId, orderId: 'gone' }, 2500, (n) => ({
      // Many have the same time, also across the end of a batch.
      occurredAt: new Date(Date.UTC(2026, 0, 1 + Math.floor(n / 700))),
    }));
    // One of them has more events than a batch.
    const others = { gon: 1001, gonf: 3, zzz: 3 };
    for (const [orderId, count] of Object.entries(others))
      await addEvents(dataSource.manager, { projectId, orderId }, count);
    const { sent, stop } = watchStatements(dataSource);

    const removed = await host.events.removeOrder(projectId, 'gone');
    stop();

    expect(removed).toBe(2500);
    expect(await left(projectId, 'gone')).toBe(0);
    for (const [orderId, count] of Object.entries(others)) expect(await left(projectId, orderId)).toBe(count);
    expect(sent.filter((sql) => sql.startsWith('DELETE')).length).toBeGreaterThanOrEqual(3);
    expect(await host.events.removeOrder(projectId, 'gone')).toBe(0);
  });

  it('removeProject removes the histories of 300 orders, and of no other project', async () => {
    const [projectId, other] = [freshProject(), freshProject()];
    const { manager } = host.dataSource;
    for (const id of [projectId, other])
      await addEvents(manager, { projectId: id, orderId: '' }, 1500, (n) => ({
        orderId: `${['a', 'B', 'c'][n % 3]}${n % 100}`,
        occurredAt: new Date(Date.UTC(2026, 0, 1 + (n % 7))),
      }));

    const removed = await host.events.removeProject(projectId);

    expect(removed).toBe(1500);
    expect(await manager.countBy(OrderEvent, { projectId })).toBe(0);
    expect(await manager.countBy(OrderEvent, { projectId: other })).toBe(1500);
  });

  it.each(["caller's", 'ambient'] as const)(
    'removals of the %s transaction are undone by its rollback',
    async (kind) => {
      const order = { projectId: freshProject(), orderId: 'o' };
      const { dataSource } = host.app.database;
      await addEvents(dataSource.manager, order, 1200);

      const rolledBack = dataSource.transaction(async (manager) => {
        const joined = kind === 'ambient' ? {} : { manager };
        const work = async (): Promise<void> => {
          expect(await host.events.removeOrder(order.projectId, 'o', joined)).toBe(1200);
          await host.events.record({ ...order, type: 'order.placed' }, joined);
          expect(await host.events.removeProject(order.projectId, joined)).toBe(1);
        };
        await (kind === 'ambient' ? ambient.run(manager, work) : work());
        throw new Error('rollback');
      });

      await expect(rolledBack).rejects.toThrow('rollback');
      expect(await left(order.projectId, 'o')).toBe(1200);
    },
  );

  onlyWhere('severalConnections', () => {
    it('removeOrder beside that of another process ends when no event is left', async () => {
      const projectId = freshProject();
      await addEvents(host.dataSource.manager, { projectId, orderId: 'o' }, 2500);
      const other = await testApp({ database: await host.app.database.another() });

      const removing = [host.events, other.nest.get(OrderEvents)].map(async (events) => {
        const removed = await events.removeOrder(projectId, 'o');
        return { removed, left: await left(projectId, 'o') };
      });
      const ends = await Promise.all(removing).finally(() => other.close());

      expect(ends.map((end) => end.left)).toEqual([0, 0]);
      expect(ends.reduce((sum, { removed }) => sum + removed, 0)).toBe(2500);
    });

    it('removeOrder does not wait for a transaction that writes to another order', async () => {
      const projectId = freshProject();
      await addEvents(host.dataSource.manager, { projectId, orderId: 'b' }, 5);

      const removed = await host.dataSource.transaction(async (manager) => {
        await host.events.record({ projectId, orderId: 'd', type: 'order.placed' }, { manager });
        return host.events.removeOrder(projectId, 'b');
      });

      expect(removed).toBe(5);
      expect(await left(projectId, 'd')).toBe(1);
    });
  });
});
