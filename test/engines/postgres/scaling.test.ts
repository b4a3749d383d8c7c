import { OrderEvent, OrderEventsService, shippingEntities, ShippingMethodsService } from 'nestjs-shipping';
import { type ContractTarget, expectNoSchemaDrift, shippingContract } from 'nestjs-shipping/testing';
import pg from 'pg';
import { TableColumn, TableIndex } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';
import { freshProject, ground } from '../../support/client.js';
import { serverUrl } from '../../support/database.js';
import { addEvents } from '../../support/rows.js';
import { openScaled, runSql, scaledDatabase, scalingSql } from '../../support/scaling.js';
import { anyStatement } from '../../support/statements.js';
import { everyCall, outcomesOfEveryCall, withRole } from '../application-role.js';

/** Forty projects with a method and an event, so that each part has some. */
const rows = `
  INSERT INTO shipping_project SELECT 'before-' || n, gen_random_uuid() FROM generate_series(1, 40) AS n;
  INSERT INTO shipping_method
    SELECT project_id, gen_random_uuid(), 'ups', NULL, project_id, 'Ground', true, 0, '{}', false, 1, now(), now()
    FROM shipping_project;
  INSERT INTO shipping_order_event (project_id, order_id, occurred_at, id, type, data, recorded_at)
    SELECT project_id, 'o', '2026-01-01', gen_random_uuid(), 'order.placed', '{}', now() FROM shipping_project`;

describe.skipIf(serverUrl === undefined)('on hash partitions of a server, the module', () => {
  let database: Awaited<ReturnType<typeof openScaled>>;
  let app: TestApp;
  /** Another instance, whose cache is cold. */
  let other: TestApp;
  let target: ContractTarget;
  let methods: ShippingMethodsService;
  let events: OrderEventsService;
  beforeAll(async () => {
    database = await openScaled(rows);
    app = await testApp({ database });
    other = await testApp({ database: await database.another() });
    methods = app.nest.get(ShippingMethodsService);
    events = app.nest.get(OrderEventsService);
    target = { origin: app.origin, orderEvents: events };
  });
  afterAll(async () => {
    for (const each of [other, app]) await each?.close();
    await database?.close();
  });

  /** So many that every part has some. */
  const projects = (): string[] => Array.from({ length: 40 }, () => freshProject());

  for (const { title, run } of shippingContract(() => target)) it(title, () => run());

  it('keeps the rows from before, and numbers new events after them', async () => {
    const before = Array.from({ length: 40 }, (_, place) => `before-${place + 1}`);

    const lists = await Promise.all(before.map((project) => methods.list(project)));
    const occurredAt = '2026-01-01T00:00:00Z';
    // The first one here was the last one before.
    for (const projectId of before.toReversed())
      await events.record({ projectId, orderId: 'o' }, { type: 'order.paid', occurred_at: occurredAt });

    expect(lists.map(({ data }) => data.map(({ method_code }) => method_code))).toEqual(
      before.map((project) => [project]),
    );
    for (const project of before) {
      const { data: history } = await events.list({ projectId: project, orderId: 'o' });
      expect(history.map(({ type }) => type)).toEqual(['order.placed', 'order.paid']);
    }
  });

  it('reads many projects at the same time, each with its own methods', async () => {
    const all = projects();
    await Promise.all(all.map((project) => methods.create(project, { ...ground, meta: { project } })));

    const cold = await Promise.all(
      all.map((project) => other.nest.get(ShippingMethodsService).list(project)),
    );
    const warm = await Promise.all(all.map((project) => methods.list(project)));

    const expected = all.map((project) => [{ project }]);
    expect(cold.map(({ data }) => data.map(({ meta }) => meta))).toEqual(expected);
    expect(warm).toEqual(cold);
  });

  it('reads only the partitions that hold the project and the defaults', async () => {
    const project = freshProject();
    await methods.create('default', { ...ground, method_code: project });
    await methods.create(project, { ...ground, method_code: project, use_default: true });
    const { dataSource } = other.database;
    const logged = vi.spyOn(dataSource.logger, 'logQuery');
    await other.nest.get(ShippingMethodsService).list(project);
    const sent = logged.mock.calls.map(([sql, values]) => ({ sql, values }));
    logged.mockRestore();

    const lines: string[] = [];
    for (const { sql, values } of sent)
      for (const row of await dataSource.query<object[]>(`EXPLAIN (VERBOSE) ${sql}`, values))
        lines.push(...Object.values(row).map(String));

    const parts = lines.flatMap((line) => / on public\.shipping_\w+_(\w+) /.exec(line)?.[1] ?? []);
    expect(sent).toHaveLength(2);
    expect(parts).not.toEqual([]);
    expect(new Set(parts).size).toBeLessThanOrEqual(2);
  });

  it('keeps a locked method as it is until the transaction ends', async () => {
    for (const project of projects()) {
      const { id } = await methods.create(project, ground);
      const logged: string[] = [];
      const inactive = { ...ground, is_active: false };
      const change = () => other.nest.get(ShippingMethodsService).update(project, id, inactive);

      const { changing } = await app.database.dataSource.transaction(async (manager) => {
        await methods.find(project, id, { manager, lock: true });
        const waiting = change().then(() => logged.push('change'));
        for (let tries = 0; tries < 20; tries++) await anyStatement(manager);
        logged.push('transaction');
        return { changing: waiting };
      });
      await changing;

      expect(logged).toEqual(['transaction', 'change']);
    }
  });

  it('imports, changes and removes many methods with upsertMany', async () => {
    const project = freshProject();
    const requests = Array.from({ length: 300 }, (_, place) => ({ ...ground, method_code: `m${place}` }));
    const changed = requests.slice(0, 200).map((request) => ({ ...request, sort_order: 7 }));

    const first = await methods.upsertMany(project, requests);
    const second = await methods.upsertMany(project, changed, { removeOthers: true, maxRemoved: 100 });

    expect([first.changes.length, second.changes.length]).toEqual([300, 300]);
    const { data, meta } = await methods.list(project, { per_page: 100 });
    expect([meta.total, data[0]?.sort_order, data[0]?.version]).toEqual([200, 7, 2]);
  });

  it('keeps the history of an order in pages, and each dedupe_key once', async () => {
    const order = { projectId: freshProject(), orderId: 'o' };
    for (let place = 0; place < 25; place++)
      await events.record(order, {
        type: 'order.noted',
        occurred_at: '2026-01-01T00:00:00Z',
        data: { place },
      });
    const twice = await Promise.all(
      Array.from({ length: 8 }, () => events.record(order, { type: 'order.paid', dedupe_key: 'paid' })),
    );

    const first = await events.list(order, { limit: 20 });
    const second = await events.list(order, {
      limit: 20,
      cursor: first.next ?? '',
    });

    const read = [...first.data, ...second.data];
    expect(read.map(({ data }) => data['place'])).toEqual([
      ...Array.from({ length: 25 }, (_, place) => place),
      undefined,
    ]);
    expect(twice.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(new Set(twice.map(({ id }) => id)).size).toBe(1);
  });

  it('makes one of racing creates win on two instances', async () => {
    const project = freshProject();
    const racers = [methods, other.nest.get(ShippingMethodsService)];

    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        racers[number % 2]?.create(project, { ...ground, method_code: `m${number % 10}` }).then(
          () => 201,
          (error: { getStatus(): number }) => error.getStatus(),
        ),
      ),
    );

    expect(outcomes.filter((status) => status === 201)).toHaveLength(10);
    expect(outcomes.filter((status) => status === 409)).toHaveLength(30);
  });

  it('makes every call as the role of the application, with the rights in the page', async () => {
    const scaled = await scaledDatabase();
    const common = { entities: shippingEntities, type: 'postgres', driver: pg, url: scaled.url } as const;
    const role = await withRole({ options: common, drop: scaled.drop });
    await role.run('sql/rights-postgres');
    await role.run('scaling/hash-partitions-rights');

    const host = await role.start();
    const outcomes = await everyCall(host);
    await host.close();
    await role.close();

    expect(outcomes).toEqual(outcomesOfEveryCall);
  });

  it('names the index of the dedupe_key in an error, as record() needs it', async () => {
    const order = { projectId: freshProject(), orderId: 'o' };
    await events.record(order, { type: 'order.paid', dedupe_key: 'paid' });

    const again = addEvents(database.dataSource.manager, order, 1, () => ({ dedupeKey: 'paid' }));

    await expect(again).rejects.toThrow(/uq_shipping_order_event_dedupe_key"/);
  });

  it('does not remove a method that your foreign key refers to', async () => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    await database.dataSource.query('INSERT INTO shop_order VALUES ($1, $2, $3)', [project, 'o', id]);

    await expect(methods.remove(project, id)).rejects.toMatchObject({ code: 'method_in_use' });
  });

  it('has the schema drift that docs/scaling.md names, and no other', async () => {
    const drift = await expectNoSchemaDrift(database.dataSource).then(String, String);

    const [, ...statements] = drift.split('\n');
    expect(statements).toEqual([expect.stringContaining('"seq" DROP DEFAULT')]);
  });

  it('takes a new column and a new index', async () => {
    const table = database.dataSource.getMetadata(OrderEvent).tablePath;
    const runner = database.dataSource.createQueryRunner();
    await runner.addColumn(table, new TableColumn({ name: 'note', type: 'varchar', isNullable: true }));
    await runner.createIndex(table, new TableIndex({ name: 'ix_note', columnNames: ['note'] }));

    expect(await events.findAll({ projectId: 'nobody', orderId: 'o' })).toEqual([]);
    await runner.dropIndex(table, 'ix_note');
    await runner.dropColumn(table, 'note');
    await runner.release();
  });

  it('can go back to one table, and keeps all rows', async () => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);
    await events.record({ projectId: project, orderId: 'o' }, { type: 'order.placed' });

    await runSql(database.url, 'ALTER TABLE shop_order DROP CONSTRAINT fk_shop_order_method');
    await runSql(database.url, scalingSql('one-table'));

    await expectNoSchemaDrift(database.dataSource);
    expect((await methods.findOrFail(project, id)).id).toBe(id);
    await events.record({ projectId: project, orderId: 'o' }, { type: 'order.paid' });
    const { data: history } = await events.list({ projectId: project, orderId: 'o' });
    expect(history.map(({ type }) => type)).toEqual(['order.placed', 'order.paid']);
  });
});
