import { MethodNotFoundError, ShippingMethod } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';
import { renewRevision } from '../support/rows.js';
import { watchStatements } from '../support/statements.js';
import { twoInstances } from '../support/two-instances.js';

describe('two instances on one database', () => {
  const instances = twoInstances();

  it('let one of 30 racing creates win, and tell the others its id', async () => {
    const shops = instances.clients(freshProject());

    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => shops[index % 2]?.create({ ...ground, sort_order: index })),
    );

    const winners = responses.filter((response) => response?.status === 201);
    const losers = responses.filter((response) => response?.status === 409);
    expect([winners.length, losers.length]).toEqual([1, 29]);
    expect(new Set(losers.map((response) => response?.body['existing_id']))).toEqual(
      new Set([winners[0]?.body.id]),
    );
    const { body } = (await shops[0]?.list()) ?? {};
    expect(body?.meta.total).toBe(1);
  });

  it('notice that an update undoes a change of the other instance', async () => {
    const project = freshProject();
    const [one, other] = instances.methods;
    const { id } = await one.create(project, ground);
    await other.update(project, id, { ...ground, sort_order: 1 });

    const setBack = await one.update(project, id, { ...ground, sort_order: 0 });

    expect(setBack).toMatchObject({ version: 3, sort_order: 0 });
    expect(await other.find(project, id)).toEqual(setBack);
  });

  it('decide a change again when somebody else was faster', async () => {
    const project = freshProject();
    const [, methods] = instances.methods;
    const { id } = await methods.create(project, ground);
    const { subscribers } = instances.apps[1].database.dataSource;
    subscribers.push({
      async beforeTransactionStart({ queryRunner: { manager } }) {
        subscribers.pop();
        await manager.update(ShippingMethod, { projectId: project, id }, { methodLabel: 'By SQL' });
        await renewRevision(manager, project);
      },
    });

    const late = await methods.update(project, id, { is_active: false });

    expect(late).toMatchObject({ method_label: 'By SQL', is_active: false });
  });

  onlyWhere('severalConnections', () => {
    it("keep the other instance's change, although a subscriber of the host makes the snapshot old", async () => {
      const project = freshProject();
      const [one, other] = instances.methods;
      const before = await other.create(project, ground);
      const { dataSource, table } = instances.apps[1].database;
      let changed = false;
      dataSource.subscribers.push({
        async afterTransactionStart({ queryRunner }) {
          // On MySQL and MariaDB, the snapshot of the transaction begins here.
          await queryRunner.query(`SELECT 1 FROM ${table('shipping_project')}`);
          if (changed) return;
          changed = true;
          await one.update(project, before.id, { ...ground, method_label: 'By the other' });
          await one.create(project, { ...ground, method_code: '07' });
        },
      });

      const late = other.update(project, before.id, { ...ground, is_active: false }, { etag: before.etag });

      await expect(late).rejects.toMatchObject({ code: 'version_mismatch' });
      dataSource.subscribers.pop();
      expect(await other.list(project)).toEqual(await one.list(project));
      expect((await other.list(project)).meta.total).toBe(2);
    });
  });

  it('show the methods of the other instance after a change of their own', async () => {
    const project = freshProject();
    const [one, other] = instances.methods;
    await one.create(project, { ...ground, method_code: 'a' });
    await other.create(project, { ...ground, method_code: 'b' });

    await one.create(project, { ...ground, method_code: 'c' });

    const { data } = await one.list(project);
    expect(data.map(({ method_code }) => method_code)).toEqual(['a', 'b', 'c']);
  });

  it('let one remove a method while the other keeps changing it', async () => {
    const project = freshProject();
    const [removing, changing] = instances.methods;
    const { id } = await removing.create(project, ground);
    let changes = 0;
    let changed = (): void => undefined;
    const fifty = new Promise<void>((resolve) => (changed = resolve));
    const change = async (): Promise<void> => {
      for (;;) {
        await changing.update(project, id, { ...ground, sort_order: ++changes });
        if (changes > 50) changed();
      }
    };
    const changers = Array.from({ length: 8 }, () => change().catch((error: unknown) => error));
    await Promise.race([fifty, ...changers]);
    const { sent } = watchStatements(instances.apps[0].database.dataSource);

    const removed = await removing.remove(project, id);

    expect(removed.id).toBe(id);
    expect(sent.filter((sql) => sql.includes('DELETE FROM'))).toHaveLength(1);
    expect(await Promise.all(changers)).toEqual(Array(8).fill(expect.any(MethodNotFoundError)));
  });

  it('lose no acknowledged update, with If-Match and without', async () => {
    const shops = instances.clients(freshProject());
    const created = (await shops[0]?.create({ ...ground, meta: { n: 0 } }))?.body;
    const id = created?.id ?? '';

    const acknowledged: number[] = [];
    const guarded = async (writer: number): Promise<void> => {
      const shop = shops[writer % 2];
      for (let done = 0; done < 5;) {
        const { version = 0 } = (await shop?.list())?.body.data[0] ?? {};
        const change = { ...ground, sort_order: writer * 1000 + done };
        const response = await shop?.update(id, change, { 'if-match': `"${version}"` });
        expect([200, 412]).toContain(response?.status);
        if (response?.status !== 200) continue;
        expect(response.body.version).toBe(version + 1);
        acknowledged.push(version);
        done++;
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, writer) => guarded(writer + 1)));
    const blind = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        shops[index % 2]?.update(id, { ...ground, sort_order: -1 - index }),
      ),
    );

    expect(blind.map((response) => response?.status)).toEqual(Array(40).fill(200));
    const [last] = (await shops[1]?.list())?.body.data ?? [];
    // Each version was changed by one writer only.
    expect(new Set(acknowledged).size).toBe(50);
    expect(last?.version).toBe(1 + 50 + 40);
  });

  it('do not deadlock when a transaction and a single writer change the same methods', async () => {
    const project = freshProject();
    const [shop] = instances.clients(project);
    const codes = ['a', 'b'].map((method_code) => ({ ...ground, method_code }));
    const ids: string[] = [];
    for (const method of codes) ids.push((await shop?.create(method))?.body.id ?? '');
    const [a = '', b = ''] = ids;
    const methods = instances.methods[1];

    let single: Promise<{ status: number } | undefined> = Promise.resolve(undefined);
    await instances.apps[1].database.dataSource.transaction(async (manager) => {
      await methods?.update(project, a, { ...ground, method_code: 'a', sort_order: 1 }, { manager });
      single = Promise.resolve(shop?.update(b, { ...ground, method_code: 'b', sort_order: 1 }));
      // On an embedded database, the single writer waits for the connection.
      if (engine.has.severalConnections) await engine.someoneWaitsFor(manager);
      // The holder of the project's lock waits for nobody.
      await engine.withLockTimeout(manager, 300, async () =>
        methods?.update(project, b, { ...ground, method_code: 'b', sort_order: 2 }, { manager }),
      );
    });

    expect((await single)?.status).toBe(200);
    expect((await shop?.list())?.body.data.map(({ version }) => version)).toEqual(
      expect.arrayContaining([2, 3]),
    );
  });
});
