import { OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

const imported = 30_000;
const kept = { carrier_code: 'own', method_code: 'kept', method_label: 'Kept' };
const renamed = { carrier_code: 'own', method_code: 'renamed', method_label: 'Kept' };

// A connection keeps the plans it made while the tables were small, until the tables are analysed again. Autovacuum
// does that within a minute. On the embedded database nobody does it.
describe('after an import, with the query plans from before it,', () => {
  let database: TestDatabase;
  let app: TestApp;
  let methods: ShippingMethods;
  let project: string;
  let next = 0;

  beforeAll(async () => {
    // One connection, so that all calls share its plans and its counts.
    database = await testDatabase({ connections: 1 });
    app = await testApp({ database, shipping: { maxMethods: 100_000 } });
    methods = app.nest.get(ShippingMethods);
    project = freshProject();
    await methods.create(project, kept);
    await methods.create(project, renamed);
    const large = freshProject();
    await importMethods(large, 1001);
    for (let time = 0; time < 8; time++) {
      for (const call of Object.values(calls)) await call();
      await new Client(app.origin, large).tree();
    }
    await importMethods(project, imported);
  });
  afterAll(async () => {
    await app?.close();
    await database?.close();
  });

  const importMethods = async (into: string, count: number): Promise<void> => {
    const { dataSource, table } = database;
    await dataSource.query(
      `INSERT INTO ${table('shipping_method')} (project_id, id, carrier_code, carrier_label, method_code,
         method_label, is_active, sort_order, meta, use_default, search_text, version, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'c' || n % 7, NULL, 'm' || n, 'Label', true, n, '{}', false, 'x', 1, now(), now()
       FROM generate_series(1, $2::int) AS n`,
      [into, count],
    );
    await dataSource.query(
      `INSERT INTO ${table('shipping_project')} AS p VALUES ($1, gen_random_uuid(), $2, 0)
       ON CONFLICT (project_id) DO UPDATE SET methods = p.methods + $2, revision = gen_random_uuid()`,
      [into, count],
    );
  };

  const idOf = async ({ carrier_code, method_code }: typeof kept): Promise<string> =>
    (await methods.findByCodes(project, carrier_code, method_code))?.id ?? '';
  const unused = (): typeof kept => ({ ...kept, method_code: `own-${next++}` });

  const calls = {
    list: async () => {
      await methods.create(project, unused());
      await methods.list(project);
    },
    findByCodes: () => methods.findByCodes(project, 'own', 'kept'),
    find: async () => methods.find(project, await idOf(kept)),
    create: () => methods.create(project, unused()),
    'a refused create': () => methods.create(project, kept).catch(() => undefined),
    upsert: () => methods.upsert(project, { ...kept, sort_order: next++ }),
    update: async () => methods.update(project, await idOf(kept), { ...kept, sort_order: next++ }),
    'an update that renames': async () => {
      const id = await idOf(renamed);
      await methods.update(project, id, { ...renamed, method_code: 'other' });
      await methods.update(project, id, renamed);
    },
    remove: async () => methods.remove(project, (await methods.create(project, unused())).id),
    'an event': async () => {
      const events = app.nest.get(OrderEvents);
      await events.record({ projectId: project, orderId: `o${next++}`, type: 'order.placed' });
      await events.list(project, 'o');
    },
  };

  const rowsRead = async (): Promise<number> => {
    await database.dataSource.query('SELECT pg_stat_force_next_flush()');
    const tables = ['shipping_method', 'shipping_project', 'shipping_order_event'].map(database.table);
    const [{ rows } = { rows: NaN }] = await database.dataSource.query<{ rows: number }[]>(
      `SELECT sum(seq_tup_read + idx_tup_fetch)::integer AS rows FROM pg_stat_user_tables
       WHERE relid = ANY($1::regclass[])`,
      [tables],
    );
    return rows;
  };

  const rowsReadBy = async (call: () => Promise<unknown>): Promise<number> => {
    const before = await rowsRead();
    await call();
    return (await rowsRead()) - before;
  };

  const byKey = ['list', 'findByCodes', 'find', 'create', 'a refused create', 'an event'] as const;
  it.each(byKey)('%s reads few rows', async (name) => {
    expect(await rowsReadBy(calls[name])).toBeLessThan(100);
  });

  // The look-up of the changed method may scan the project.
  it.each(['upsert', 'update', 'remove'] as const)('%s reads the project once at most', async (name) => {
    expect(await rowsReadBy(calls[name])).toBeLessThan(1.2 * imported);
  });

  it('renaming twice reads the project twice at most', async () => {
    expect(await rowsReadBy(calls['an update that renames'])).toBeLessThan(2.2 * imported);
  });

  it('a tree reads each method once', async () => {
    expect(await rowsReadBy(() => new Client(app.origin, project).tree())).toBeLessThan(1.2 * imported);
  });
});
