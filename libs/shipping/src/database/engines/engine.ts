import { type DataSource, type EntityManager, type InsertQueryBuilder, type ObjectLiteral } from 'typeorm';

/** The engines that we support, by TypeORM's names. */
const engines = ['postgres', 'mariadb', 'mysql', 'better-sqlite3'] as const;

export type EngineName = (typeof engines)[number];

/** @throws Error that names the remedy, for a DataSource of another engine */
export function engineOf({ options, subscribers }: DataSource): EngineName {
  // A test may have replaced the DataSource by something else.
  if (!options || !subscribers) {
    throw new Error(
      'ShippingModule was given something that is not a TypeORM DataSource. If your test mocks the database, use ' +
        'embeddedTypeOrm() from nestjs-shipping/testing instead, or replace the module that forRoot() has returned, too: ' +
        'overrideModule(shipping).useModule(fake).',
    );
  }
  const engine = engines.find((known) => known === options.type);
  if (engine) return engine;
  throw new Error(
    `nestjs-shipping knows the DataSource types ${engines.join(', ')}, but was given one of type "${options.type}". ` +
      `Give the module a DataSource of its own: ShippingModule.forRoot({ dataSource: 'name' }). Do not give ` +
      `shippingEntities and shippingMigrations to the DataSource of type "${options.type}".`,
  );
}

export function isSqlite({ connection }: EntityManager): boolean {
  return engineOf(connection) === 'better-sqlite3';
}

/** Returns whether the engine is MySQL or MariaDB. */
export function isMysql({ connection }: EntityManager): boolean {
  return /^(mariadb|mysql)$/.test(engineOf(connection));
}

/**
 * Returns whether a transaction reads from one snapshot by default. On MySQL and MariaDB, all its reads show the moment of
 * the first one, unless the host has chosen a lower isolation level.
 */
export function readsFromSnapshotByDefault(manager: EntityManager): boolean {
  return isMysql(manager);
}

/** Many hosts use a DataSource of type `mysql` with a server of MariaDB. MySQL has no version 10. */
export function isMariadbServer({ options, driver }: DataSource): boolean {
  return options.type === 'mariadb' || (options.type === 'mysql' && parseInt(driver.version ?? '') >= 10);
}

/** How an engine writes a time in SQL. */
interface Clock {
  /** The time of the database, the same in the whole statement. */
  now: string;
  /** SQL for a time column as the text that clients get. No driver, process or session converts a text. */
  read: (column: string) => string;
}

const mysqlClock: Clock = {
  now: 'UTC_TIMESTAMP(3)',
  read: (column) => `CONCAT(REPLACE(${column}, ' ', 'T'), 'Z')`,
};

const clocks: Record<EngineName, Clock> = {
  postgres: {
    now: 'statement_timestamp()',
    read: (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
  mariadb: mysqlClock,
  mysql: mysqlClock,
  'better-sqlite3': {
    now: `strftime('%Y-%m-%d %H:%M:%f', 'now')`,
    read: (column) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`,
  },
};

export function nowIn({ connection }: EntityManager): string {
  return clocks[engineOf(connection)].now;
}

/** Returns the parameter for a time of a client. The engines other than PostgreSQL store UTC without a time zone. */
export function timeParameter({ connection }: EntityManager, time: string): string {
  return engineOf(connection) === 'postgres' ? time : time.replace('T', ' ').replace('Z', '');
}

/**
 * Returns the SQL of a column in a SELECT. On PostgreSQL the value is a text, because the host may have its own parsers
 * for other types.
 */
export function selectExpression({ connection }: EntityManager, column: string, isTime = false): string {
  const engine = engineOf(connection);
  if (isTime) return clocks[engine].read(column);
  return engine === 'postgres' ? `CAST(${column} AS text)` : column;
}

/**
 * Makes an INSERT add nothing when the key is taken. On MySQL, `orIgnore` would also ignore foreign keys, and take a
 * shared lock on which two writers wait for each other.
 * @param column any column of the key; the UPDATE sets it to its own value
 */
export function ifAbsent<Row extends ObjectLiteral>(
  manager: EntityManager,
  insert: InsertQueryBuilder<Row>,
  column: string,
): InsertQueryBuilder<Row> {
  return isMysql(manager) ? insert.orUpdate([column]) : insert.orIgnore();
}
