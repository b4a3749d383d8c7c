import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { type DatabaseSettings, type Engine, type TestDatabase } from '../engine.js';

type SqliteOptions = Extract<DataSourceOptions, { type: 'better-sqlite3' }>;

const quoted = (name: string): string => `"${name}"`;
const pragmas = ['busy_timeout', 'foreign_keys', 'defer_foreign_keys', 'read_uncommitted', 'query_only'];

/** Compiled where no binary for this platform can be downloaded, so it is a package of its own: see CONTRIBUTING.md. */
const driver = (): unknown =>
  createRequire(new URL('../../drivers/package.json', import.meta.url))('better-sqlite3');

/** For functions that only tests of an ability that SQLite lacks may call. */
const never = (): Promise<never> => Promise.reject(new Error('SQLite cannot do this: use onlyWhere().'));

let rules = 0;

/** Creates a trigger with this body on a table. @returns a function that drops it */
async function trigger(
  manager: EntityManager,
  [name, when, where = 'true']: readonly [table: string, when: string, where?: string],
  body: string,
): Promise<() => Promise<unknown>> {
  const rule = `rule_${++rules}`;
  await manager.query(
    `CREATE TRIGGER ${rule} ${when} ON ${quoted(name)} FOR EACH ROW WHEN ${where} BEGIN ${body} END`,
  );
  return () => manager.query(`DROP TRIGGER ${rule}`);
}

async function setting(manager: EntityManager, pragma: string): Promise<unknown> {
  return Object.values((await manager.query<object[]>(`PRAGMA ${pragma}`))[0] ?? {})[0];
}

export function sqlite(): Engine {
  return {
    has: {
      severalConnections: false,
      connections: false,
      lostRaces: false,
      failedTransactions: false,
      changingTriggers: false,
      sharedParents: true,
      checkedDrops: false,
    },
    open,

    conflicts: [],
    lockTimeout: 'SQLITE_BUSY',
    commitFailure: /FOREIGN KEY/,
    brokenConnection: () => new Error('SQLite has no connection.'),

    async createCart(manager) {
      await manager.query(
        `CREATE TABLE cart (project_id text, method_id text,
           FOREIGN KEY (project_id, method_id) REFERENCES shipping_method (project_id, id))`,
      );
    },
    async putIntoCart(manager, projectId, methodId) {
      await manager.query('INSERT INTO cart VALUES (?, ?)', [projectId, methodId]);
    },
    async createQuotes(manager) {
      await manager.query(
        `CREATE TABLE quote (project_id text, carrier text, method text, FOREIGN KEY (project_id, carrier, method)
           REFERENCES shipping_method (project_id, carrier_code, method_code))`,
      );
    },
    async addQuote(manager, ...values) {
      await manager.query('INSERT INTO quote VALUES (?, ?, ?)', values);
    },
    async createTenants(manager, ids) {
      await manager.query('CREATE TABLE tenant (id text PRIMARY KEY)');
      for (const id of ids) await manager.query('INSERT INTO tenant VALUES (?)', [id]);
    },
    referToTenants: never,
    lockTenant: never,
    refuse(manager, { table, on, where = {}, message }) {
      const conditions = Object.entries(where).map(([column, value]) => `NEW.${column} = '${value}'`);
      return trigger(
        manager,
        [table, `BEFORE ${on}`, conditions.join(' AND ') || 'true'],
        `SELECT RAISE(ABORT, '${message}');`,
      );
    },
    changeUseDefault: never,
    async makeLabelsUnique(manager, projectId) {
      // The error names the index only if the index has an expression. Otherwise it names the columns.
      await manager.query(
        `CREATE UNIQUE INDEX labels ON shipping_method (project_id, trim(method_label))
         WHERE project_id = '${projectId}'`,
      );
    },
    async prepareFailingCommits(manager) {
      await manager.query(
        `CREATE TABLE deferred (id integer PRIMARY KEY,
           other integer REFERENCES deferred (id) DEFERRABLE INITIALLY DEFERRED)`,
      );
    },
    async failCommit(manager) {
      await manager.query('INSERT INTO deferred VALUES (1, 2)');
    },

    isolationLevels: [],
    async beganAt(manager) {
      const [found] = await manager.query<{ at: string }[]>(
        `SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS at`,
      );
      return new Date(found?.at ?? NaN);
    },
    someoneWaitsFor: never,
    killConnection: never,
    killInserters: never,
    async withLockTimeout(manager, ms, work) {
      const usual = await setting(manager, 'busy_timeout');
      await manager.query(`PRAGMA busy_timeout = ${ms}`);
      try {
        return await work();
      } finally {
        await manager.query(`PRAGMA busy_timeout = ${String(usual)}`);
      }
    },
    async settings(manager) {
      const found: [string, unknown][] = [];
      for (const pragma of pragmas) found.push([pragma, await setting(manager, pragma)]);
      return found;
    },
    intercept: never,

    async tableNames(manager) {
      const rows = await manager.query<{ name: string }[]>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%shipping\\_%' ESCAPE '\\' ORDER BY 1`,
      );
      return rows.map(({ name }) => name);
    },
    async keys(manager) {
      const rows = await manager.query<{ columns: string }[]>(
        `SELECT (SELECT group_concat(name) FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)) AS columns
         FROM sqlite_schema AS t, pragma_index_list(t.name) AS i
         WHERE t.type = 'table' AND t.name LIKE 'shipping\\_%' ESCAPE '\\'`,
      );
      return rows.map(({ columns }) => columns.split(','));
    },
    extraKeys: [['seq']],
  };
}

/** A file of its own: a database in memory would end with the first DataSource, which some tests open again. */
async function open(settings: DatabaseSettings): Promise<TestDatabase> {
  const {
    connections: _connections,
    connectTimeoutMs: _connectTimeoutMs,
    statementTimeoutMs: _statementTimeoutMs,
    lockTimeoutMs,
    isolation: _isolation,
    postgres: _postgres,
    ...neutral
  } = settings;
  const folder = await mkdtemp(join(tmpdir(), 'shipping-sqlite-'));
  const options: SqliteOptions = {
    type: 'better-sqlite3',
    driver: driver(),
    database: join(folder, 'test.sqlite'),
    enableWAL: true,
    // A test does not need to survive a power failure.
    prepareDatabase: (database: { pragma(sql: string): unknown }) =>
      void database.pragma('synchronous = OFF'),
    entities: shippingEntities,
    migrations: shippingMigrations,
    migrationsRun: true,
    ...(lockTimeoutMs !== undefined && { timeout: lockTimeoutMs }),
    ...neutral,
  };
  const dataSource = await new DataSource(options).initialize();
  const database: TestDatabase = {
    options,
    dataSource,
    isEmbedded: true,
    table: quoted,
    another: () => Promise.resolve({ ...database, close: () => Promise.resolve() }),
    close: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return database;
}
