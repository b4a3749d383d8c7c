import { setTimeout as delay } from 'node:timers/promises';
import { ShippingMethodsService } from 'nestjs-shipping';
import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { testApp } from '../support/app.js';
import { Client, freshProject, ground } from '../support/client.js';
import { engine, onlyWhere, testDatabase } from '../support/database.js';
import { watchStatements } from '../support/statements.js';

const event = { type: 'order.placed', dedupe_key: 'once' };
describe("the caller's transaction", () => {
  const host = mounted();
  beforeAll(async () => {
    await engine.createCart(host.dataSource.manager);
  });

  it('sees its own writes, and a rollback undoes all of them', async () => {
    const project = freshProject();
    await host.methods.create(project, ground);
    const before = await host.methods.list(project);
    const shop = new Client(host.app.origin, project);
    const etag = (await shop.list()).headers.get('etag');

    const rolledBack = host.dataSource.transaction(async (manager) => {
      const { id } = await host.methods.create(project, { ...ground, method_code: '01' }, { manager });
      await host.methods.update(
        project,
        id,
        { ...ground, method_code: '02', use_default: true },
        { manager },
      );
      await host.methods.upsert(project, { ...ground, method_label: 'Changed' }, { manager });
      expect((await host.methods.list(project, {}, { manager })).meta.total).toBe(2);
      expect(await host.methods.list(project, {}, { manager })).not.toEqual(before);
      throw new Error('rollback');
    });

    await expect(rolledBack).rejects.toThrow('rollback');
    expect(await host.methods.list(project)).toMatchObject({ data: [ground], meta: { total: 1 } });
    expect(await host.methods.list(project)).toEqual(before);
    expect((await shop.list()).headers.get('etag')).toBe(etag);
  });

  it.each(['create', 'update'] as const)(
    'gives the times of its changes, not of its beginning: %s',
    async (write) => {
      const project = freshProject();
      const old = await host.methods.create(project, ground);
      const [changed, fresh] = [
        { ...ground, sort_order: 1 },
        { ...ground, method_code: '01' },
      ];

      const { began, method } = await host.dataSource.transaction(async (manager) => {
        const at = await engine.beganAt(manager);
        await delay(20);
        const writing = {
          create: () => host.methods.create(project, fresh, { manager }),
          update: () => host.methods.update(project, old.id, changed, { manager }),
        };
        return { began: at, method: await writing[write]() };
      });

      expect(Date.parse(method.updated_at)).toBeGreaterThan(began.getTime());
      expect(method.created_at).toBe(method.id === old.id ? old.created_at : method.updated_at);
    },
  );

  it('keeps the settings that the caller gave it, such as a lock time-out', async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    const other = { ...ground, method_code: '01' };

    const [before, after] = await host.dataSource.transaction((manager) =>
      engine.withLockTimeout(manager, 7000, async () => {
        const own = await engine.settings(manager);
        await host.methods.create(project, other, { manager });
        await host.methods.create(project, ground, { manager }).catch(() => 'refused');
        await host.methods.update(project, id, { ...ground, sort_order: 1 }, { manager });
        await host.methods.remove(project, id, { manager });
        await host.methods.tree(project, { manager });
        await host.events.record({ projectId: project, orderId: 'o' }, event, { manager });
        return [own, await engine.settings(manager)];
      }),
    );

    expect(after).toEqual(before);
  });

  it('contains no savepoint of ours', async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    const { sent, stop } = watchStatements(host.dataSource);

    await host.dataSource.transaction(async (manager) => {
      await host.methods.create(project, ground, { manager }).catch(() => undefined);
      await host.methods.update(project, id, { ...ground, method_code: '01' }, { manager });
      await host.methods.upsert(project, ground, { manager });
      await host.methods.remove(project, id, { manager });
      await host.events.record({ projectId: project, orderId: 'o' }, event, { manager });
    });
    stop();

    expect(sent.filter((sql) => sql.includes('SAVEPOINT'))).toEqual([]);
    expect(sent.length).toBeGreaterThan(6);
  });

  onlyWhere('severalConnections', () => {
    it('fails when its snapshot does not show the method that has the codes', async () => {
      const project = freshProject();

      const blind = host.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await host.methods.list(project, {}, { manager });
        await host.methods.create(project, ground);
        await host.methods.create(project, ground, { manager });
      });

      await expect(blind).rejects.toMatchObject({ code: 'database_unavailable', contention: 'race' });
      expect((await host.methods.list(project)).meta.total).toBe(1);
    });

    onlyWhere('sharedParents', () => {
      it('that puts a method into a cart does not keep others from changing it', async () => {
        const project = freshProject();
        const { id } = await host.methods.create(project, ground);
        const { dataSource } = host.app.database;

        const updated = await dataSource.transaction(async (manager) => {
          await engine.putIntoCart(manager, project, id);
          return host.methods.update(project, id, { ...ground, method_label: 'Changed' });
        });

        expect(updated).toMatchObject({ method_label: 'Changed', version: 2 });
      });
    });
  });

  it('of another DataSource is refused, given or ambient', async () => {
    const other = await testDatabase();
    const { manager } = other.dataSource;
    const shipping = { entityManager: () => manager };
    const another = await testApp({ database: host.app.database, shipping });

    const given = host.methods.tree(freshProject(), { manager });
    const ambient = another.nest.get(ShippingMethodsService).tree(freshProject());

    await expect(given).rejects.toThrow('another DataSource');
    await expect(ambient).rejects.toThrow('another DataSource');
    another.nest.getHttpServer().close();
    await other.close();
  });
});
