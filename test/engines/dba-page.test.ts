import { shippingEntities, type UpsertShippingMethodRequest } from 'nestjs-shipping';
import { type QueryRunner } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ground } from '../support/client.js';
import { addEvents } from '../support/rows.js';
import { type RoleDatabase, sqlOf, statementsOf, withRole } from './application-role.js';
import { mariadb, mysql, postgres, type TestedEngine, titleOf } from './databases.js';
import { type EngineHost } from './host.js';

// docs/dba.md and docs/503.md name this SQL.

/** No value is the default of its column. A request of this type must have each field that a host can set. */
const method: Required<Omit<UpsertShippingMethodRequest, 'id' | 'etag'>> = {
  ...ground,
  carrier_label: 'UPS',
  is_active: false,
  sort_order: 7,
  meta: { days: 2 },
  use_default: true,
};
const order = { projectId: 'acme', orderId: 'o' };
let database: RoleDatabase;
let host: EngineHost;
let runners: [QueryRunner, QueryRunner];

function onEach(
  engines: readonly TestedEngine[],
  title: string,
  tests: (engine: TestedEngine) => void,
): void {
  for (const engine of engines)
    describe.skipIf(engine.missing !== undefined)(`${title} on ${titleOf(engine)}`, () => {
      beforeEach(async () => {
        database = await withRole(await engine.create());
        await database.run(engine === postgres ? 'sql/rights-postgres' : 'sql/rights-mariadb');
        host = await database.start();
        runners = [database.owner.createQueryRunner(), database.owner.createQueryRunner()];
      });
      afterEach(async () => {
        for (const runner of runners) await runner.release();
        await host?.close();
        await database?.close();
      });
      tests(engine);
    });
}

const sql = (file: string): string => sqlOf(file, database.role, database.place);

onEach([postgres, mariadb, mysql], 'the restore of one tenant', (engine) => {
  let backup: string;
  beforeEach(async () => {
    await addEvents(database.owner.manager, order, 700);
    const { id } = await host.methods.create('acme', { ...method, sort_order: 1 });
    await host.methods.update('acme', id, method);
    // The database refuses values for such a column.
    await database.owner.query(
      `ALTER TABLE shipping_method ADD shop_next int GENERATED ALWAYS AS (version + 1) STORED`,
    );
    backup = `backup_${database.role}`;
    await database.owner.query(`CREATE SCHEMA ${backup}`);
    for (const { tableName } of shippingEntities.map((entity) => database.owner.getMetadata(entity)))
      await database.owner.query(`CREATE TABLE ${backup}.${tableName} AS SELECT * FROM ${tableName}`);
  });
  afterEach(() => database.owner.query(`DROP SCHEMA ${backup} ${engine === postgres ? 'CASCADE' : ''}`));

  /** Runs the statements on one connection, as a client of the database does. */
  const restore = async (): Promise<void> => {
    const file = engine === postgres ? 'sql/restore-tenant' : 'sql/restore-tenant-mariadb';
    const [runner] = runners;
    try {
      for (const statement of statementsOf(sql(file).replaceAll('backup.', `${backup}.`)))
        await runner.query(statement);
    } finally {
      await runner.query('ROLLBACK');
    }
  };

  /** All that a host can read of the tenant. */
  const rows = async () => [(await host.methods.list('acme')).data, await host.events.findAll(order)];

  it('brings its rows back from a backup, and each process sees them', async () => {
    const before = await rows();
    await host.methods.removeAll('acme');
    await host.events.removeHistories('acme');
    expect(await rows()).toEqual([[], []]);

    await restore();

    expect(await rows()).toEqual(before);
    await host.events.record(order, { type: 'order.paid' });
  });

  it('removes nothing if the backup lacks a table', async () => {
    const before = await rows();
    await database.owner.query(`DROP TABLE ${backup}.shipping_order_event`);

    await expect(restore()).rejects.toThrow(/does(n't| not) exist/);

    expect(await rows()).toEqual(before);
  });
});

onEach([postgres, mariadb, mysql], 'is-it-stored.sql', () => {
  it('finds an event by its key, and a method by its codes', async () => {
    const { id } = await host.methods.create('acme', ground);
    const event = await host.events.record(
      { projectId: 'acme', orderId: '1001' },
      { type: 'order.paid', dedupe_key: 'paid' },
    );

    const [ofEvent = '', ofMethod = ''] = statementsOf(sql('sql/is-it-stored'));

    expect(await database.owner.query(ofEvent)).toMatchObject([{ id: event.id }]);
    expect(await database.owner.query(ofMethod)).toMatchObject([{ id, version: 1 }]);
  });
});

onEach([postgres, mariadb, mysql], 'erase-staff.sql', (engine) => {
  it('erases one member of staff, as redactHistory does', async () => {
    const type = 'order.paid';
    const staff = { type: 'user', id: 'u-17', label: 'Ada' } as const;
    await host.events.record(order, { type, message: 'Cash', actor: staff });
    for (const other of [{ id: 'u-1' }, { type: 'customer' as const }])
      await host.events.record(order, { type, actor: { ...staff, ...other } });
    await host.events.record(order, { type });
    const [statement = ''] = statementsOf(sql('sql/erase-staff'));

    await database.owner.query(
      engine === postgres
        ? statement
        : statement.replaceAll(/actor ->> '(\w+)'/g, "json_value(actor, '$.$1')"),
    );

    const erased = { type: 'user', id: null, label: null };
    expect(await host.events.findAll(order)).toMatchObject([
      { message: 'Cash', actor: erased },
      { actor: { id: 'u-1' } },
      { actor: { type: 'customer', id: 'u-17' } },
      { actor: null },
    ]);
    // Three events still have a message or a person: the erased actor counts as redacted.
    expect(await host.events.redactHistory(order)).toBe(3);
  });
});

onEach([mariadb], 'who-blocks-mariadb.sql', () => {
  it('names the session whose transaction others wait for', async () => {
    await host.methods.create('acme', ground);
    const [blocker, waiter] = runners;
    const lock = 'SELECT * FROM shipping_project FOR UPDATE';
    await blocker.startTransaction();
    await blocker.query(lock);
    const [session] = await blocker.manager.query<{ id: string }[]>('SELECT CONNECTION_ID() AS id');
    await waiter.startTransaction();
    const waiting = waiter.query(lock);

    const found = async () =>
      (await database.owner.query<{ id: string }[]>(sql('sql/who-blocks-mariadb'))).filter(
        (row) => String(row.id) === String(session?.id),
      );
    await expect.poll(found).toMatchObject([{ command: 'Sleep', waiting: '1' }]);

    await blocker.rollbackTransaction();
    await waiting;
    await waiter.rollbackTransaction();
  });
});

onEach([postgres], 'the SQL for a DBA', () => {
  it('sets autovacuum, watches the tables, and moves the numbers on after a switch-over', async () => {
    await database.run('sql/vacuum-settings');
    await database.owner.query(`SELECT setval('migrations_id_seq', 1000)`);
    await database.run('sql/after-logical-replication');
    await host.events.record({ projectId: 'acme', orderId: 'new' }, { type: 'order.paid' });

    const [last] = await database.owner.query<{ seq: string }[]>(
      'SELECT MAX(seq) AS seq FROM shipping_order_event',
    );
    const [next] = await database.owner.query<{ id: string }[]>(
      `SELECT nextval('migrations_id_seq') - MAX(id) AS id FROM migrations`,
    );
    const watched = await database.owner.query<{ name: string }[]>(sql('sql/watch-tables'));

    expect(Number(last?.seq)).toBe(2_000_017);
    expect(Number(next?.id)).toBe(1);
    expect(watched.map(({ name }) => name)).toContain('shipping_order_event');
  });

  it('names the sessions that keep vacuum from removing dead rows', async () => {
    const [reader, writer] = runners;
    await reader.startTransaction('REPEATABLE READ');
    const ofReader = await reader.manager.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
    await writer.startTransaction();
    await writer.query("INSERT INTO shipping_project VALUES ('acme', gen_random_uuid())");
    const ofWriter = await writer.manager.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');

    const holders = await database.owner.query<{ holder: string }[]>(sql('sql/old-snapshots'));
    for (const runner of runners) await runner.rollbackTransaction();

    const names = holders.map(({ holder }) => holder);
    for (const [row] of [ofReader, ofWriter]) expect(names).toContain(`session ${row?.pid}`);
  });
});
