import mysql from 'mysql2/promise';
import pg from 'pg';
import { onExit } from './processes.mjs';

/**
 * TypeORM creates these defaults for `@Column({ default })` and `@CreateDateColumn`. Rivals with these decorators need
 * them.
 */
const columnDefaults = (now) => (none) => `ALTER TABLE shipping_method
  ALTER is_active SET DEFAULT true, ALTER sort_order SET DEFAULT 0, ALTER meta SET DEFAULT '{}',
  ALTER use_default SET DEFAULT ${none || "''"}, ALTER created_at SET DEFAULT ${now}, ALTER updated_at SET DEFAULT ${now}`;

const postgres = {
  url: 'postgres://postgres@127.0.0.1:5432/postgres',
  create: (name) => `CREATE DATABASE ${name}`,
  drop: (name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
  version: `SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1) AS version`,
  schema: 'current_schema()',
  columnDefaults: columnDefaults('now()'),
  analyze: 'VACUUM ANALYZE shipping_project, shipping_method, shipping_order_event',
  async connect(connectionString) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    return {
      query: async (sql) => (await client.query(sql)).rows,
      insert: (table, columns, rows) =>
        client.query(
          `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
          [JSON.stringify(rows)],
        ),
      end: () => client.end(),
    };
  },
};

const mariadb = {
  url: 'mariadb://root@127.0.0.1:3306/mysql',
  create: (name) => `CREATE DATABASE ${name} CHARACTER SET utf8mb4`,
  drop: (name) => `DROP DATABASE IF EXISTS ${name}`,
  version: `SELECT CONCAT('MariaDB ', SUBSTRING_INDEX(VERSION(), '-', 1)) AS version`,
  schema: 'DATABASE()',
  columnDefaults: columnDefaults('UTC_TIMESTAMP(3)'),
  analyze: 'ANALYZE TABLE shipping_project, shipping_method, shipping_order_event',
  async connect(uri) {
    const connection = await mysql.createConnection({ uri, charset: 'utf8mb4' });
    const stored = (value) => (typeof value === 'object' && value ? JSON.stringify(value) : value);
    return {
      query: async (sql) => (await connection.query(sql))[0],
      insert: (table, columns, rows) =>
        connection.query(`INSERT INTO ${table} (${columns}) VALUES ?`, [
          rows.map((row) => columns.map((column) => stored(row[column]))),
        ]),
      end: () => connection.end(),
    };
  },
};

const mysqlServer = {
  ...mariadb,
  url: 'mysql://root@127.0.0.1:3307/mysql',
  version: `SELECT CONCAT('MySQL ', VERSION()) AS version`,
};

const engines = { postgres, mariadb, mysql: mysqlServer };

/** Creates a database, which is dropped when the bench ends. */
export async function newDatabase(engineName, name) {
  const engine = engines[engineName];
  if (!engine)
    throw new Error(`--engine ${engineName} is unknown. Choose one of ${Object.keys(engines).join(', ')}.`);
  const database = `bench_${name}_${process.pid}`;
  const url = new URL(process.env[`BENCH_${engineName.toUpperCase()}_URL`] ?? engine.url);
  const server = await engine.connect(url.href);
  const [{ version }] = await server.query(engine.version);
  await server.query(engine.create(database));
  onExit(async () => {
    await server.query(engine.drop(database));
    await server.end();
  });
  url.pathname = `/${database}`;
  return {
    ...engine,
    url: url.href,
    version,
    connect: () => engine.connect(url.href),
    /** Returns the ids of the server processes of this database, if they run on this machine. */
    async pids() {
      if (engine !== postgres) return [];
      const rows = await server.query(`SELECT pid FROM pg_stat_activity WHERE datname = '${database}'`);
      return rows.map(({ pid }) => pid);
    },
  };
}
