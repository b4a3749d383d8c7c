import { Logger } from '@nestjs/common';
import { type DataSource, type EntityMetadata, type QueryRunner } from 'typeorm';
import { type Dialect, ownDataSourceRemedy } from './dialect.js';

/** MySQL and MariaDB. Many hosts use a DataSource of type `mysql` with a server of MariaDB. */
export const mysql: Dialect = {
  types: ['mysql', 'mariadb'],
  hasOneConnection: false,
  readsFromSnapshot: true,
  failureEndsTransaction: false,
  lostRaceEndsTransaction: true,
  whenIdle,
  levelOfRetries: 'READ COMMITTED',
  now: 'UTC_TIMESTAMP(3)',
  timeColumn: (column) => `CONCAT(REPLACE(${column}, ' ', 'T'), 'Z')`,
  valueColumn: (column) => column,
  timeParameter: (time) => time.replace('T', ' ').replace('Z', ''),
  // `orIgnore` would also ignore foreign keys, and take a shared lock on which two writers wait for each other. An
  // update of the column to its own value does neither.
  ifAbsent: (insert, column) => insert.orUpdate([column]),
  // TypeORM's `pessimistic_read` is a syntax error on a server of MariaDB behind the type `mysql`.
  shareLock: ' LOCK IN SHARE MODE',
  errorCodes: {
    ER_LOCK_WAIT_TIMEOUT: 'lock',
    ER_LOCK_NOWAIT: 'lock',
    ER_LOCK_DEADLOCK: 'race',
    ER_CHECKREAD: 'race', // the row has changed since the transaction read it
    ER_CON_COUNT_ERROR: 'refused', // too many connections
    ER_USER_LIMIT_REACHED: 'refused',
    ER_TOO_MANY_USER_CONNECTIONS: 'refused',
    ER_OPTION_PREVENTS_STATEMENT: 'refused', // the server is read-only
    ER_READ_ONLY_MODE: 'refused',
    ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION: 'refused',
    ER_QUERY_INTERRUPTED: 'refused',
    ER_QUERY_TIMEOUT: 'refused',
    ER_STATEMENT_TIMEOUT: 'refused',
    ER_UNKNOWN_COM_ERROR: 'refused', // the Galera node is cut off from the others
    ER_DISK_FULL: 'refused',
    ER_RECORD_FILE_FULL: 'refused',
    1968: 'refused', // a limit of the statement was reached
    1969: 'refused', // the statement took too long
    'ER_ACCESS_DENIED_*': 'refusedWhenConnecting',
    ER_DBACCESS_DENIED_ERROR: 'refusedWhenConnecting',
    ER_ACCOUNT_HAS_BEEN_LOCKED: 'refusedWhenConnecting',
    ER_BAD_DB_ERROR: 'refusedWhenConnecting',
    'ER_HOST_*': 'refusedWhenConnecting',
    'HANDSHAKE_*': 'refusedWhenConnecting', // of mysql2: the server does not offer what the options ask for
    PROTOCOL_CONNECTION_LOST: 'broken',
    PROTOCOL_SEQUENCE_TIMEOUT: 'broken',
    ER_CONNECTION_KILLED: 'broken',
    ER_SERVER_SHUTDOWN: 'broken',
    ER_NEW_ABORTING_CONNECTION: 'broken',
    ER_CLIENT_INTERACTION_TIMEOUT: 'broken',
    1927: 'broken', // the connection was killed
    2006: 'broken', // a proxy such as ProxySQL sends this code and the next one when its server is gone
    2013: 'broken',
    ER_ERROR_DURING_COMMIT: 'openCommit', // the Galera node is cut off from the others
    ER_DUP_ENTRY: 'duplicate',
    ER_ROW_IS_REFERENCED: 'foreignKey',
    ER_ROW_IS_REFERENCED_2: 'foreignKey',
  },
  errorMessages: {
    'Pool is closed': 'refused',
    'No connections available': 'refused',
    'Queue limit reached': 'refused',
    "Can't add new command when connection is in closed state": 'refused',
  },
  adaptEntity,
  checkDatabase,
};

/** The driver sends statements in the order in which it gets them, each after the response to the one before. */
async function whenIdle(runner: QueryRunner): Promise<void> {
  const connection = (await runner.connect()) as { query(sql: string, done: () => void): void };
  // If the connection broke, the next statement says so.
  await new Promise<void>((done) => connection.query('DO 0', () => done()));
}

/**
 * Tells whether the server is MariaDB. The entities are adapted by a function that cannot await a statement, so the
 * version number has to tell: the newest MySQL has version 9.
 * @throws Error that names the remedy, for the type `mariadb` on a server of MySQL
 */
function isMariadb({ options, driver }: DataSource): boolean {
  const isMariadbServer = parseInt(driver.version ?? '10') >= 10;
  if (options.type === 'mariadb' && !isMariadbServer)
    throw new Error(
      `The server is MySQL ${driver.version}, but the DataSource has the type "mariadb". Give it the type "mysql".`,
    );
  return isMariadbServer;
}

function adaptEntity(metadata: EntityMetadata, dataSource: DataSource): void {
  // These collations compare by code point, and a trailing blank counts.
  const isMariadbServer = isMariadb(dataSource);
  const collation = isMariadbServer ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  for (const column of metadata.ownColumns) {
    const isText = column.collation !== undefined || column.type === 'simple-json';
    if (isText) Object.assign(column, { charset: 'utf8mb4', collation });
    if (column.type === 'uuid')
      Object.assign(column, { type: 'char', length: '36', charset: 'ascii', collation: 'ascii_bin' });
    if (String(column.generationStrategy) === 'identity') column.generationStrategy = 'increment';
    // MariaDB reports the default NULL for a column that may be null. TypeORM expects this for the type `mariadb` only.
    if (column.isNullable && isMariadbServer && dataSource.options.type === 'mysql')
      column.default = () => 'NULL';
  }
}

/** The options of the DataSource, and the variables of its session on the server. */
type Settings = Readonly<Record<string, unknown>>;

/** Settings under which data is lost, reads are wrong, or a value can break out of its statement. */
const checkedSettings: {
  names: string[];
  isRefused: (value: unknown, all: Settings) => boolean;
  remedy: string;
  /** Corrects a variable of the server for one session. */
  statement?: string;
  /** The setting only matters in a failure of the cluster, so it is not refused. */
  isWarning?: true;
}[] = [
  {
    names: ['character_set_client', 'character_set_connection', 'character_set_results'],
    isRefused: (value) => value !== 'utf8mb4',
    remedy: "With it, some characters are lost. Give the DataSource charset: 'utf8mb4'.",
    statement: 'SET NAMES utf8mb4',
  },
  {
    // TypeORM 1 begins transactions at the `isolationLevel` of the DataSource.
    names: ['transaction_isolation', 'tx_isolation', 'isolationLevel'],
    isRefused: (value) => /^READ.UNCOMMITTED$/.test(String(value)),
    remedy: 'With it, reads show changes that are rolled back later. Set READ COMMITTED or a stricter level.',
    statement: 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  },
  {
    names: ['sql_mode'],
    isRefused: (value) => String(value).includes('NO_BACKSLASH_ESCAPES'),
    remedy: 'With it, the driver cannot escape values safely. Remove NO_BACKSLASH_ESCAPES from the sql_mode.',
    statement: "SET SESSION sql_mode = REPLACE(@@sql_mode, 'NO_BACKSLASH_ESCAPES', '')",
  },
  {
    names: ['wsrep_dirty_reads'],
    isRefused: (value) => value === 'ON',
    remedy: 'With it, a Galera node that is cut off from the others can return old data. Set it to OFF.',
    statement: 'SET SESSION wsrep_dirty_reads = OFF',
    isWarning: true,
  },
  {
    names: ['wsrep_sync_wait'],
    // The first bit makes a read wait for the commits of other nodes.
    isRefused: (value, all) => all['wsrep_on'] === 'ON' && (Number(value) & 1) === 0,
    remedy: 'With it, a Galera node can return old data. Set it to 1 on every node.',
    statement: 'SET SESSION wsrep_sync_wait = 1',
  },
  {
    names: ['enableQueryTimeout'],
    isRefused: (value, all) => Boolean(value && all['maxQueryExecutionTime']),
    remedy:
      'With it, a connection may go back to the pool inside an open transaction, and acknowledged rows are rolled back ' +
      'later. Remove it, and set max_statement_time (MariaDB) or max_execution_time (MySQL) on the server.',
  },
];

async function checkDatabase(dataSource: DataSource): Promise<void> {
  const variables = await dataSource.query<{ Variable_name: string; Value: string }[]>('SHOW VARIABLES');
  const settings: Settings = {
    ...dataSource.options,
    ...Object.fromEntries(variables.map(({ Variable_name, Value }) => [Variable_name, Value])),
  };
  refuseUnexpectedServer(dataSource, settings['version']);
  for (const { names, isRefused, remedy, statement, isWarning } of checkedSettings)
    for (const name of names) {
      const value = settings[name];
      if (value === undefined || !isRefused(value, settings)) continue;
      const wayOut =
        name in dataSource.options
          ? ownDataSourceRemedy
          : `If you cannot change the server, send "${statement}" on each new connection. "Settings of the server" in ` +
            'docs/reference-database.md has the code.';
      const message = `The connection of the DataSource has ${name} = ${value}. ${remedy} ${wayOut}`;
      if (!isWarning) throw new Error(message);
      new Logger('ShippingModule').warn(message);
    }
}

/** The entities are adapted before anybody can ask the server for more than its number. */
function refuseUnexpectedServer(dataSource: DataSource, version: unknown): void {
  if (version === undefined || String(version).includes('MariaDB') === isMariadb(dataSource)) return;
  throw new Error(
    `The server has the version ${version}, but TypeORM knows it as ${dataSource.driver.version}. The module cannot tell ` +
      'MariaDB from MySQL by this number, or it does not know this version yet. Remove the option "version" from the configuration of the server or the proxy.',
  );
}
