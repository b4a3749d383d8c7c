import { AsyncLocalStorage } from 'node:async_hooks';
import { MethodInUseError, type ShippingMethodChange } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { Client, freshProject, ground } from '../support/client.js';
import { engine } from '../support/database.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };

const host = mounted({ shipping: { entityManager: () => ambient.getStore(), maxMethods: 1001 } });
const ambient = new AsyncLocalStorage<EntityManager>();
beforeAll(async () => {
  await engine.createCart(host.dataSource.manager);
});

describe('ShippingMethodsService.removeAll', () => {
  it('removes the methods of one project, and reports each method', async () => {
    const [project, other] = [freshProject(), freshProject()];
    const { methods: stored } = await host.methods.upsertMany(project, [ground, express]);
    await host.methods.create(other, ground);
    const seen: ShippingMethodChange[] = [];
    const subscription = host.methods.changes.subscribe((change) => seen.push(change));

    const [first, second] = [await host.methods.removeAll(project), await host.methods.removeAll(project)];
    subscription.unsubscribe();

    expect([first, second]).toEqual([2, 0]);
    expect(seen.map(({ type, before }) => [type, before?.id]).toSorted()).toEqual(
      stored.map(({ id }) => ['removed', id]).toSorted(),
    );
    expect((await host.methods.list(project)).meta.total).toBe(0);
    expect((await host.methods.list(other)).meta.total).toBe(1);
  });

  it('removes 1,001 methods that one call of upsertMany has created', async () => {
    const project = freshProject();
    const requests = Array.from({ length: 1001 }, (_, n) => ({ ...ground, method_code: `${n}` }));

    const { changes } = await host.methods.upsertMany(project, requests);

    expect(changes).toHaveLength(1001);
    expect(await host.methods.removeAll(project)).toBe(1001);
    expect((await host.methods.list(project)).meta.total).toBe(0);
  });

  it('leaves a project that can be filled again, with a new ETag', async () => {
    const project = freshProject();
    const shop = new Client(host.app.origin, project);
    await shop.create(ground);
    const etag = (await shop.list()).headers.get('etag') ?? '';

    await host.methods.removeAll(project);
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
        host.methods.removeAll(project, { manager }).catch(() => undefined);
      const calls = {
        own: () => host.methods.removeAll(project),
        "caller's": () => dataSource.transaction(caught),
        ambient: () => dataSource.transaction((manager) => ambient.run(manager, () => caught())),
      };

      const committed = calls[kind]();

      await expect(committed).rejects.toThrow(
        kind === 'own' ? MethodInUseError : 'has failed. Roll the transaction back',
      );
      expect((await host.methods.list(project)).meta.total).toBe(2);
    },
  );

  it('in a race with creates counts exactly the methods that are gone', async () => {
    const project = freshProject();
    const codes = Array.from({ length: 40 }, (_, n) => ({ ...ground, method_code: `${n}` }));

    const outcomes = await Promise.all(
      codes.map(async (method, n) => {
        await host.methods.create(project, method);
        return n % 8 === 0 ? host.methods.removeAll(project) : 0;
      }),
    );

    const removed = outcomes.reduce((sum, count) => sum + count, 0);
    expect((await host.methods.list(project)).meta.total).toBe(40 - removed);
  });
});
