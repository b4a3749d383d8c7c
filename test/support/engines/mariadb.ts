import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { vi } from 'vitest';
import { closedBy, type DatabaseSettings, type Engine, type TestDatabase } from '../engine.js';

type MariadbOptions = Extract<DataSourceOptions, { type: 'mysql' | 'mariadb' }>;
type Callback = (error: Error | null, ...results: unknown[]) => void;

/** The parts of a connection of mysql2 that are used here. */
interface Client {
  query(...statement: unknown[]): unknown;
  execute(...statement: unknown[]): unknown;
  end(done: Callback): void;
}

/** The parts of mysql2 that are used here. */
interface Driver {
  createConnection(options: object): Client;
  createPool(options: object): { on(event: 'connection', made: (client: Client) => void): unknown };
}

/** Only a run on MariaDB needs the driver. */
const driver = (): Driver => createRequire(import.meta.url)('mysql2') as Driver;

const quoted = (name: string): string => `\`${name}\``;

let rules = 0;

/** Creates a trigger with this body on a table. @returns a function that drops it */
async function trigger(
  manager: EntityManager,
  [name, when]: readonly [table: string, when: string],
  body: string,
): Promise<() => Promise<unknown>> {
  const rule = `rule_${++rules}`;
  await manager.query(`CREATE TRIGGER ${rule} ${when} ON ${quoted(name)} FOR EACH ROW BEGIN ${body} END`);
  return () => manager.query(`DROP TRIGGER ${rule}`);
}

/** A DataSource of type `mysql` may have a server of either kind. */
async function isMariadbServer(manager: EntityManager): Promise<boolean> {
  const [found] = await manager.query<{ version: string }[]>('SELECT VERSION() AS version');
  return found?.version.includes('MariaDB') ?? false;
}

/** The ids of the connections that wait for a lock of this connection. */
const waitingIds = {
  mariadb: `SELECT waiting.trx_mysql_thread_id AS id FROM information_schema.INNODB_LOCK_WAITS AS waits
            JOIN information_schema.INNODB_TRX AS waiting ON waiting.trx_id = waits.requesting_trx_id
            JOIN information_schema.INNODB_TRX AS holding ON holding.trx_id = waits.blocking_trx_id
            WHERE holding.trx_mysql_thread_id = CONNECTION_ID()`,
  mysql: `SELECT waiting.PROCESSLIST_ID AS id FROM performance_schema.data_lock_waits AS waits
          JOIN performance_schema.threads AS waiting ON waiting.THREAD_ID = waits.REQUESTING_THREAD_ID
          JOIN performance_schema.threads AS holding ON holding.THREAD_ID = waits.BLOCKING_THREAD_ID
          WHERE holding.PROCESSLIST_ID = CONNECTION_ID()`,
};

/**
 * The settings that a connection may have for itself. Those that each statement changes, such as the last id, are left
 * out.
 */
const sessionSettings = {
  mariadb: `SELECT VARIABLE_NAME AS name, SESSION_VALUE AS setting FROM information_schema.SYSTEM_VARIABLES
            WHERE VARIABLE_SCOPE = 'SESSION' ORDER BY 1`,
  mysql: `SELECT VARIABLE_NAME AS name, own.VARIABLE_VALUE AS setting FROM performance_schema.session_variables AS own
          JOIN performance_schema.global_variables AS shared USING (VARIABLE_NAME)
          WHERE VARIABLE_NAME <> 'gtid_executed' ORDER BY 1`,
};

/** Kills each connection to this database whose trigger sleeps, until the DataSource is closed. */
async function killSleepers(manager: EntityManager): Promise<void> {
  while (manager.connection.isInitialized) {
    const sleepers = await manager.query<{ id: number }[]>(
      `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE = 'User sleep'`,
    );
    for (const { id } of sleepers) await manager.query(`KILL ${id}`);
    await delay(20);
  }
}

/** The numbers of the errors that a trigger can give. */
const errors: Record<string, number> = {
  ER_LOCK_DEADLOCK: 1213,
  ER_LOCK_WAIT_TIMEOUT: 1205,
};

/** A table with columns like these of ours: a foreign key wants the same types and collations. */
async function createLike(
  manager: EntityManager,
  name: string,
  columns: string,
  from: string,
): Promise<void> {
  await manager.query(`CREATE TABLE ${quoted(name)} AS SELECT ${columns} FROM ${quoted(from)} LIMIT 0`);
}

/** @param url of the server; its scheme is the type of the DataSources */
export function mariadb(url: string): Engine {
  return {
    has: {
      severalConnections: true,
      connections: true,
      lostRaces: true,
      failedTransactions: false,
      changingTriggers: true,
      sharedParents: false,
      checkedDrops: true,
    },
    open: (settings) => openOnServer(url, settings),

    conflicts: Object.keys(errors),
    lockTimeout: 'ER_LOCK_WAIT_TIMEOUT',
    // The driver may report the end of the connection before TypeORM sends the COMMIT.
    commitFailure: /closed|lost|killed|reset|ended|has failed/i,
    brokenConnection: () =>
      Object.assign(new Error('Connection lost: The server closed the connection.'), {
        code: 'PROTOCOL_CONNECTION_LOST',
        fatal: true,
      }),

    async createCart(manager) {
      await createLike(manager, 'cart', 'project_id, id AS method_id', 'shipping_method');
      await manager.query(
        'ALTER TABLE cart ADD FOREIGN KEY (project_id, method_id) REFERENCES shipping_method (project_id, id)',
      );
    },
    async putIntoCart(manager, projectId, methodId) {
      await manager.query('INSERT INTO cart VALUES (?, ?)', [projectId, methodId]);
    },
    async createQuotes(manager) {
      const columns = 'project_id, carrier_code AS carrier, method_code AS method';
      await createLike(manager, 'quote', columns, 'shipping_method');
      await manager.query(
        `ALTER TABLE quote ADD FOREIGN KEY (project_id, carrier, method)
         REFERENCES shipping_method (project_id, carrier_code, method_code)`,
      );
    },
    async addQuote(manager, ...values) {
      await manager.query('INSERT INTO quote VALUES (?, ?, ?)', values);
    },
    async createTenants(manager, ids) {
      await createLike(manager, 'tenant', 'project_id AS id', 'shipping_project');
      await manager.query('ALTER TABLE tenant ADD PRIMARY KEY (id)');
      for (const id of ids) await manager.query('INSERT INTO tenant VALUES (?)', [id]);
    },
    async referToTenants(manager) {
      for (const name of ['shipping_method', 'shipping_order_event'])
        await manager.query(`ALTER TABLE ${name} ADD FOREIGN KEY (project_id) REFERENCES tenant (id)`);
    },
    async lockTenant(manager, id) {
      await manager.query('SELECT id FROM tenant WHERE id = ? FOR UPDATE', [id]);
    },
    refuse(manager, { table, on, where = {}, message, conflict }) {
      const conditions = Object.entries(where).map(([column, value]) => `NEW.${column} = '${value}'`);
      const number = conflict === undefined ? '' : `MYSQL_ERRNO = ${errors[conflict]}, `;
      const signal = `SIGNAL SQLSTATE '45000' SET ${number}MESSAGE_TEXT = '${message}';`;
      const body = `IF ${conditions.join(' AND ') || 'true'} THEN ${signal} END IF;`;
      return trigger(manager, [table, `BEFORE ${on}`], body);
    },
    changeUseDefault: (manager) =>
      trigger(manager, ['shipping_method', 'BEFORE UPDATE'], `SET NEW.use_default = 'method_label';`),
    async makeLabelsUnique(manager, projectId) {
      // There are no partial indexes, but NULLs are never equal.
      await manager.query(
        `ALTER TABLE shipping_method ADD COLUMN label_of_one varchar(255)
           GENERATED ALWAYS AS (IF(project_id = '${projectId}', method_label, NULL)) VIRTUAL INVISIBLE,
         ADD UNIQUE INDEX labels (label_of_one)`,
      );
    },
    prepareFailingCommits: () => Promise.resolve(),
    async failCommit(manager) {
      // MariaDB checks no constraint at the COMMIT.
      const [own] = await manager.query<{ id: string }[]>('SELECT CONNECTION_ID() AS id');
      await this.killConnection(manager.connection.manager, Number(own?.id));
    },

    isolationLevels: ['READ COMMITTED', 'SERIALIZABLE'],
    async beganAt(manager) {
      const [found] = await manager.query<{ at: string }[]>('SELECT UNIX_TIMESTAMP(NOW(3)) * 1000 AS at');
      return new Date(Number(found?.at));
    },
    async someoneWaitsFor(manager) {
      const ids = waitingIds[(await isMariadbServer(manager)) ? 'mariadb' : 'mysql'];
      for (;;) {
        // MariaDB renews its tables only if nobody, in any test, has read them for a tenth of a second. The first read,
        // too, would show a wait that has ended.
        await delay(150 + Math.random() * 150);
        const [waiting] = await manager.query<{ id: string }[]>(ids);
        if (waiting) return Number(waiting.id);
      }
    },
    async killConnection(manager, id) {
      await manager.query(`KILL ${id}`);
    },
    async killInserters(manager) {
      // A connection of MySQL that kills itself is told first that its statement has done nothing. So another one kills
      // it.
      const isMariadb = await isMariadbServer(manager);
      const body = isMariadb ? 'KILL CONNECTION_ID();' : 'DO SLEEP(60);';
      for (const name of ['shipping_method', 'shipping_order_event'])
        await trigger(manager, [name, 'BEFORE INSERT'], body);
      if (!isMariadb) void killSleepers(manager).catch(() => undefined);
    },
    async withLockTimeout(manager, ms, work) {
      await manager.query(`SET SESSION innodb_lock_wait_timeout = ${seconds(ms)}`);
      try {
        return await work();
      } finally {
        await manager.query('SET SESSION innodb_lock_wait_timeout = DEFAULT');
      }
    },
    async settings(manager) {
      return manager.query(sessionSettings[(await isMariadbServer(manager)) ? 'mariadb' : 'mysql']);
    },
    async intercept({ connection, queryRunner }, around) {
      const runner = queryRunner ?? connection.createQueryRunner();
      const client = Object.getPrototypeOf(await runner.connect()) as Client;
      if (!queryRunner) await runner.release();
      const spies = (['query', 'execute'] as const).map((name) => {
        const send = client[name];
        return vi.spyOn(client, name).mockImplementation(function (this: Client, ...statement) {
          const done = statement.at(-1) as Callback;
          if (typeof done !== 'function') return Reflect.apply(send, this, statement);
          const sent = (): Promise<unknown[]> =>
            new Promise((resolve, reject) => {
              const settle: Callback = (error, ...results) => (error ? reject(error) : resolve(results));
              Reflect.apply(send, this, [...statement.slice(0, -1), settle]);
            });
          callbackify(() => around(JSON.stringify(statement[0]), sent))((error, results) =>
            done(error, ...((results ?? []) as unknown[])),
          );
          return undefined;
        });
      });
      return () => {
        for (const spy of spies) spy.mockRestore();
      };
    },

    async tableNames(manager) {
      const rows = await manager.query<{ name: string }[]>(
        `SELECT TABLE_NAME AS name FROM information_schema.TABLES
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '%shipping\\_%' ORDER BY 1`,
      );
      return rows.map(({ name }) => name);
    },
    async keys(manager) {
      const rows = await manager.query<{ columns: string }[]>(
        `SELECT GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX) AS columns FROM information_schema.STATISTICS
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'shipping\\_%' GROUP BY TABLE_NAME, INDEX_NAME`,
      );
      return rows.map(({ columns }) => columns.split(','));
    },
    // A column with AUTO_INCREMENT wants an index that begins with it.
    extraKeys: [['seq']],
  };
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** A database of its own. */
async function openOnServer(url: string, settings: DatabaseSettings): Promise<TestDatabase> {
  const type = url.startsWith('mysql:') ? 'mysql' : 'mariadb';
  const { hostname: host, port, username, password } = new URL(url);
  const login = { host, port: Number(port || 3306), password: decodeURIComponent(password) };
  const user = decodeURIComponent(username);
  const admin = (sql: string): Promise<void> => onServer({ ...login, user }, sql);
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await admin(`CREATE DATABASE ${database}`);

  const {
    connections,
    connectTimeoutMs,
    statementTimeoutMs,
    lockTimeoutMs,
    isolation,
    postgres: _,
    ...neutral
  } = settings;
  const session = [
    ...(statementTimeoutMs === undefined
      ? []
      : [
          // MariaDB runs the first comment, and MySQL the second one, which is for statements that only read.
          `SET SESSION /*M! max_statement_time = ${statementTimeoutMs / 1000} */
             /*!50708 max_execution_time = ${statementTimeoutMs} */`,
        ]),
    ...(lockTimeoutMs === undefined
      ? []
      : [`SET SESSION innodb_lock_wait_timeout = ${seconds(lockTimeoutMs)}`]),
    ...(isolation === undefined ? [] : [`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`]),
  ];
  const options: MariadbOptions = {
    type,
    entities: shippingEntities,
    migrations: shippingMigrations,
    migrationsRun: true,
    driver: onEachConnection(session),
    ...login,
    username: user,
    database,
    charset: 'utf8mb4',
    // Without it a repository of the host reads and writes our times in the time zone of Node.
    timezone: 'Z',
    poolSize: connections ?? 10,
    ...(connectTimeoutMs !== undefined && { connectTimeout: connectTimeoutMs }),
    ...neutral,
  };
  return closedBy(
    () => admin(`DROP DATABASE ${database}`),
    () => onOptions(options),
  );
}

/** The driver, with pools that send these statements first on each connection. */
function onEachConnection(statements: readonly string[]): Driver {
  const usual = driver();
  const createPool: Driver['createPool'] = (options) => {
    const pool = usual.createPool(options);
    pool.on('connection', (client) => {
      for (const sql of statements) client.query(sql);
    });
    return pool;
  };
  // TypeORM 0.3 takes a driver without enumerable properties for one that is not installed.
  return Object.create(usual, { createPool: { value: createPool, enumerable: true } }) as Driver;
}

async function onOptions(options: MariadbOptions): Promise<TestDatabase> {
  const dataSource = await new DataSource(options).initialize();
  return {
    options,
    dataSource,
    isEmbedded: false,
    table: quoted,
    another: () => onOptions(options),
    close: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

async function onServer(login: object, sql: string): Promise<void> {
  const client = driver().createConnection(login);
  const done = (work: (callback: Callback) => unknown): Promise<void> =>
    new Promise((resolve, reject) => {
      work((error) => (error ? reject(error) : resolve()));
    });
  try {
    await done((callback) => client.query(sql, callback));
  } finally {
    await done((callback) => client.end(callback));
  }
}
