import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import pg from 'pg';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { vi } from 'vitest';
import { distribute, distributeTables, isCitus, replicate, waiterOnWorker } from '../citus.js';
import { closedBy, type DatabaseSettings, type Engine, type TestDatabase } from '../engine.js';
import { snapshotUrl } from '../snapshot.js';

export type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

interface Client {
  query(...statement: unknown[]): Promise<unknown>;
}

const common = {
  type: 'postgres',
  driver: pg,
  entities: shippingEntities,
  migrations: shippingMigrations,
  migrationsRun: true,
} as const;

/** The schema of a database that `testDatabase()` has opened. */
export function schemaOf({ options }: Pick<TestDatabase, 'options'>): string {
  return (options as PostgresOptions).schema ?? 'public';
}

const tableIn = ({ schema }: PostgresOptions, name: string): string =>
  schema === undefined ? name : `"${schema}"."${name}"`;
const tableOf = ({ connection }: EntityManager, name: string): string =>
  tableIn(connection.options as PostgresOptions, name);

let rules = 0;

/** Creates a trigger with this body on a table. @returns a function that drops it */
async function trigger(
  manager: EntityManager,
  [name, when]: readonly [table: string, when: string],
  body: string,
): Promise<() => Promise<unknown>> {
  const rule = `rule_${++rules}`;
  await manager.query(
    `CREATE FUNCTION ${tableOf(manager, rule)}() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN ${body} RETURN NEW; END $$`,
  );
  await manager.query(
    `CREATE TRIGGER ${rule} ${when} ON ${tableOf(manager, name)}
     FOR EACH ROW EXECUTE FUNCTION ${tableOf(manager, rule)}()`,
  );
  return () => manager.query(`DROP TRIGGER ${rule} ON ${tableOf(manager, name)}`);
}

/** @param url of a server; undefined: the embedded database */
export function postgres(url: string | undefined): Engine {
  return {
    has: {
      severalConnections: url !== undefined,
      connections: true,
      lostRaces: true,
      failedTransactions: true,
      changingTriggers: true,
      sharedParents: true,
      checkedDrops: true,
    },
    open: (settings) => (url === undefined ? openEmbedded(settings) : openOnServer(url, settings)),

    conflicts: ['40001', '40P01', '55P03', '25P04'],
    lockTimeout: '55P03',
    commitFailure: /unique/,
    brokenConnection: () => new Error('Connection terminated unexpectedly'),

    async createCart(manager) {
      const [cart, method] = [tableOf(manager, 'cart'), tableOf(manager, 'shipping_method')];
      await manager.query(`CREATE TABLE ${cart} (project_id varchar COLLATE "C", method_id uuid)`);
      await distribute(manager, cart, method);
      await manager.query(
        `ALTER TABLE ${cart} ADD CONSTRAINT cart_method
           FOREIGN KEY (project_id, method_id) REFERENCES ${method} (project_id, id)`,
      );
    },
    async putIntoCart(manager, projectId, methodId) {
      await manager.query(`INSERT INTO ${tableOf(manager, 'cart')} VALUES ($1, $2)`, [projectId, methodId]);
    },
    async createQuotes(manager) {
      const [quote, method] = [tableOf(manager, 'quote'), tableOf(manager, 'shipping_method')];
      await manager.query(
        `CREATE TABLE ${quote} (project_id varchar COLLATE "C", carrier varchar, method varchar)`,
      );
      await distribute(manager, quote, method);
      await manager.query(
        `ALTER TABLE ${quote} ADD CONSTRAINT quote_method FOREIGN KEY (project_id, carrier, method)
           REFERENCES ${method} (project_id, carrier_code, method_code)`,
      );
    },
    async addQuote(manager, ...values) {
      await manager.query(`INSERT INTO ${tableOf(manager, 'quote')} VALUES ($1, $2, $3)`, values);
    },
    async createTenants(manager, ids) {
      const tenant = tableOf(manager, 'tenant');
      await manager.query(`CREATE TABLE ${tenant} (id varchar COLLATE "C" PRIMARY KEY)`);
      await replicate(manager, tenant);
      await manager.query(`INSERT INTO ${tenant} SELECT unnest($1::text[])`, [ids]);
    },
    async referToTenants(manager) {
      for (const name of ['shipping_method', 'shipping_order_event'])
        await manager.query(
          `ALTER TABLE ${tableOf(manager, name)}
           ADD CONSTRAINT ${name}_tenant FOREIGN KEY (project_id) REFERENCES ${tableOf(manager, 'tenant')} (id)`,
        );
    },
    async lockTenant(manager, id) {
      await manager.query(`SELECT FROM ${tableOf(manager, 'tenant')} WHERE id = $1 FOR UPDATE`, [id]);
    },
    refuse(manager, { table, on, where = {}, message, conflict = 'P0001' }) {
      const conditions = Object.entries(where).map(([column, value]) => `NEW.${column} = '${value}'`);
      const raise = `RAISE EXCEPTION '${message}' USING ERRCODE = '${conflict}';`;
      const body = `IF ${conditions.join(' AND ') || 'true'} THEN ${raise} END IF;`;
      return trigger(manager, [table, `BEFORE ${on}`], body);
    },
    changeUseDefault: (manager) =>
      trigger(manager, ['shipping_method', 'BEFORE UPDATE'], `NEW.use_default := 'method_label';`),
    async makeLabelsUnique(manager, projectId) {
      await manager.query(
        `CREATE UNIQUE INDEX labels ON ${tableOf(manager, 'shipping_method')} (project_id, method_label)
         WHERE project_id = '${projectId}'`,
      );
    },
    async prepareFailingCommits(manager) {
      await manager.query(
        `CREATE TABLE ${tableOf(manager, 'deferred')} (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)`,
      );
    },
    async failCommit(manager) {
      await manager.query(`INSERT INTO ${tableOf(manager, 'deferred')} VALUES (1), (1)`);
    },

    isolationLevels: ['REPEATABLE READ', 'SERIALIZABLE'],
    async beganAt(manager) {
      const [found] = await manager.query<{ at: Date }[]>('SELECT now() AS at');
      return found?.at ?? new Date(NaN);
    },
    async someoneWaitsFor(manager) {
      for (;;) {
        // Without this, the transaction would always see the activity of its first read.
        await manager.query('SELECT pg_stat_clear_snapshot()');
        const [waiting] = await manager.query<{ pid: number }[]>(
          isCitus
            ? waiterOnWorker
            : 'SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))',
        );
        if (waiting) return waiting.pid;
      }
    },
    async killConnection(manager, id) {
      await manager.query('SELECT pg_terminate_backend($1::int)', [id]);
    },
    async killInserters(manager) {
      for (const name of ['shipping_method', 'shipping_order_event'])
        await trigger(manager, [name, 'BEFORE INSERT'], 'PERFORM pg_terminate_backend(pg_backend_pid());');
    },
    async withLockTimeout(manager, ms, work) {
      await manager.query(`SET LOCAL lock_timeout = '${ms}ms'`);
      return work();
    },
    settings: (manager) => manager.query('SELECT name, setting FROM pg_settings ORDER BY name'),
    async intercept({ connection, queryRunner }, around) {
      const runner = queryRunner ?? connection.createQueryRunner();
      const client = Object.getPrototypeOf(await runner.connect()) as Client;
      if (!queryRunner) await runner.release();
      const { query } = client;
      const sent = vi.spyOn(client, 'query').mockImplementation(function (this: Client, ...statement) {
        return around(JSON.stringify(statement[0]), () => Reflect.apply(query, this, statement));
      });
      return () => sent.mockRestore();
    },

    async tableNames(manager) {
      const rows = await manager.query<{ name: string }[]>(
        `SELECT table_name AS name FROM information_schema.tables
         WHERE table_schema = $1 AND table_name LIKE '%shipping\\_%' ORDER BY 1`,
        [schemaOf(manager.connection)],
      );
      return rows.map(({ name }) => name);
    },
    async keys(manager) {
      const rows = await manager.query<{ columns: string[] }[]>(
        `SELECT ARRAY(SELECT pg_get_indexdef(i.indexrelid, k, true) FROM generate_series(1, i.indnkeyatts) AS k)
           AS columns
         FROM pg_index AS i WHERE i.indrelid = ANY($1::regclass[])`,
        [shippingEntities.map((entity) => manager.connection.getMetadata(entity).tablePath)],
      );
      return rows.map(({ columns }) => columns);
    },
    extraKeys: [],
  };
}

/** Settings that TypeORM has under the same names. */
function optionsOf(settings: DatabaseSettings): Partial<PostgresOptions> {
  const {
    connections,
    connectTimeoutMs,
    statementTimeoutMs,
    lockTimeoutMs,
    isolation,
    postgres: own,
    ...neutral
  } = settings;
  const level = isolation?.toLowerCase().replaceAll(' ', '\\ ');
  const session = {
    ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
    ...(level !== undefined && { default_transaction_isolation: level }),
  };
  const extra = {
    ...(statementTimeoutMs !== undefined && { statement_timeout: statementTimeoutMs }),
    ...(Object.keys(session).length > 0 && {
      options: Object.entries(session)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    }),
  };
  return {
    ...neutral,
    ...(connections !== undefined && { poolSize: connections }),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMS: connectTimeoutMs }),
    ...(Object.keys(extra).length > 0 && { extra }),
    ...own,
  };
}

const schemaName = (): string => `test_${randomUUID().replaceAll('-', '')}`;

/** A schema of its own. */
async function openOnServer(url: string, settings: DatabaseSettings): Promise<TestDatabase> {
  const schema = schemaName();
  await onServer(url, `CREATE SCHEMA ${schema}`);
  const drop = () => onServer(url, `DROP SCHEMA ${schema} CASCADE`);
  const options: PostgresOptions = { ...common, url, schema, ...optionsOf(settings) };
  return closedBy(drop, async () => {
    const database = await onOptions(options);
    await distributeTables(database.dataSource);
    return database;
  });
}

/**
 * It takes longer to load an embedded database than to run most tests. So each one serves several test databases in
 * turn.
 */
const idle: PGlite[] = [];

/** A schema of its own. */
async function openEmbedded(settings: DatabaseSettings): Promise<TestDatabase> {
  const lite = idle.pop() ?? new PGlite({ loadDataDir: new Blob([await readFile(snapshotUrl())]) });
  const schema = schemaName();
  await lite.exec(`CREATE SCHEMA ${schema}`);
  const drop = async (): Promise<void> => {
    await lite.exec('ROLLBACK');
    await lite.exec('DISCARD ALL');
    await lite.exec(`DROP SCHEMA ${schema} CASCADE`);
    idle.push(lite);
  };
  const options: PostgresOptions = {
    ...common,
    connectTimeoutMS: 10_000,
    schema,
    ...optionsOf(settings),
    // The settings of a session have no meaning here.
    extra: createPgConfig(lite),
    poolSize: 1,
  };
  return closedBy(drop, async () => {
    const database = await onOptions(options);
    const embedded: TestDatabase = {
      ...database,
      isEmbedded: true,
      another: () => Promise.resolve({ ...embedded, close: () => Promise.resolve() }),
    };
    return embedded;
  });
}

async function onOptions(options: PostgresOptions): Promise<TestDatabase> {
  const dataSource = await new DataSource(options).initialize();
  return {
    options,
    dataSource,
    isEmbedded: false,
    table: (name) => tableIn(options, name),
    another: () => onOptions(options),
    close: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
