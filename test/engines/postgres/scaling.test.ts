import { randomBytes } from 'node:crypto';
import { OrderEvent, OrderEventsService, shippingEntities, ShippingMethodsService } from 'nestjs-shipping';
import { type ContractTarget, expectNoSchemaDrift, shippingContract } from 'nestjs-shipping/testing';
import pg from 'pg';
import { TableColumn, TableIndex } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';
import { freshProject, ground } from '../../support/client.js';
import { serverUrl } from '../../support/database.js';
import { addEvents } from '../../support/rows.js';
import { openScaled, runSql, scaledDatabase, scalingSql } from '../../support/scaling.js';
import { everyCall, outcomesOfEveryCall, sqlOf, statementsOf, withRole } from '../application-role.js';

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
  let target: ContractTarget;
  let methods: ShippingMethodsService;
  let events: OrderEventsService;
  beforeAll(async () => {
    database = await openScaled(rows);
    app = await testApp({ database });
    methods = app.nest.get(ShippingMethodsService);
    events = app.nest.get(OrderEventsService);
    target = { origin: app.origin, orderEvents: events };
  });
  afterAll(async () => {
    await app?.close();
    await database?.close();
  });

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

  it('reads one part for a history', async () => {
    const lines = await database.dataSource.query<object[]>(
      `EXPLAIN SELECT * FROM shipping_order_event WHERE project_id = 'p' AND order_id = 'o' ORDER BY occurred_at, seq`,
    );

    const parts = lines
      .flatMap((line) => Object.values(line))
      .join()
      .match(/ on shipping_order_event_\d/g);
    expect(parts).toHaveLength(1);
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

  it('gets the index for the removal of old orders while others write', async () => {
    const sql = scalingSql('brin-index');
    // PostgreSQL 13 lacks the operator class, and docs/dba.md says so.
    const [server] = await runSql<{ knows: boolean }>(
      database.url,
      `SELECT EXISTS (SELECT FROM pg_opclass WHERE opcname = 'timestamptz_minmax_multi_ops') AS knows`,
    );
    const [parent = '', parts = ''] = (
      server?.knows ? sql : sql.replaceAll(' timestamptz_minmax_multi_ops', '')
    ).split(';\n');
    await runSql(database.url, parent);
    const statements = await runSql<{ build: string; attach: string }>(
      database.url,
      parts.replace('\\gexec', ''),
    );
    for (const { build, attach } of statements) {
      await runSql(database.url, build);
      await runSql(database.url, attach);
    }

    const index = `SELECT indisvalid FROM pg_index WHERE indexrelid = 'ix_shop_event_recorded'::regclass`;
    expect(await runSql(database.url, index)).toEqual([{ indisvalid: true }]);
    const removal = statementsOf(sqlOf('sql/remove-old-orders-postgres', '', '')).at(-1) ?? '';
    await runSql(database.url, removal.replace("'1 hour'", "'300 days'"));
    await runSql(database.url, 'DROP INDEX ix_shop_event_recorded');
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

    await runSql(database.url, scalingSql('one-table'));

    await expectNoSchemaDrift(database.dataSource);
    expect((await methods.findOrFail(project, id)).id).toBe(id);
    await events.record({ projectId: project, orderId: 'o' }, { type: 'order.paid' });
    const { data: history } = await events.list({ projectId: project, orderId: 'o' });
    expect(history.map(({ type }) => type)).toEqual(['order.placed', 'order.paid']);
  });
});

it.skipIf(serverUrl === undefined)(
  'a conversion to or from hash partitions fails if row-level security hides events from the owner',
  async () => {
    const { url, drop } = await scaledDatabase(rows);
    const owner = `owner_${randomBytes(6).toString('hex')}`;
    const hideRows = `
      ALTER TABLE shipping_order_event OWNER TO ${owner};
      ALTER TABLE shipping_order_event ENABLE ROW LEVEL SECURITY;
      ALTER TABLE shipping_order_event FORCE ROW LEVEL SECURITY`;
    await runSql(url, `CREATE ROLE ${owner}; GRANT CREATE ON SCHEMA public TO ${owner}; ${hideRows}`);

    const back = runSql(url, `SET ROLE ${owner}; ${scalingSql('one-table')}`);
    await expect(back).rejects.toThrow('row-level security');
    await runSql(url, `${scalingSql('one-table')}; ${hideRows}`);
    const there = runSql(url, `SET ROLE ${owner}; ${scalingSql('hash-partitions')}`);
    await expect(there).rejects.toThrow('row-level security');

    expect(await runSql(url, 'SELECT COUNT(*)::int AS n FROM shipping_order_event')).toEqual([{ n: 40 }]);
    await drop();
    await runSql(serverUrl ?? '', `DROP ROLE ${owner}`);
  },
);
