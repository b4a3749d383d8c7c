import { type DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { type BaseDataSourceOptions } from 'typeorm/data-source/BaseDataSourceOptions.js';
import { type PostgresOptions } from './engines/postgres.js';

/** Abilities that some engines lack. The texts are in the titles of the tests that are skipped for that reason. */
export const abilities = {
  severalConnections: 'this database has one connection, so no call can wait for the lock of another one',
  connections: 'SQLite has no connection that is lent, released or lost',
  lostRaces: 'SQLite has one writer at a time, which cannot lose a race',
  failedTransactions: 'only on PostgreSQL does a failed statement end the transaction',
  changingTriggers: 'a trigger of SQLite cannot change the row that is being written',
  sharedParents: 'on MariaDB a row that refers to a method locks it',
  checkedDrops: 'TypeORM turns the foreign keys of SQLite off while it migrates',
} as const;
export type Ability = keyof typeof abilities;

/** Options of a test's DataSource that every engine understands, in place of the usual ones. */
export interface DatabaseSettings extends Partial<
  Pick<
    BaseDataSourceOptions,
    | 'cache'
    | 'entities'
    | 'entityPrefix'
    | 'invalidWhereValuesBehavior'
    | 'logger'
    | 'logging'
    | 'migrations'
    | 'migrationsRun'
    | 'namingStrategy'
    | 'synchronize'
  >
> {
  /** How many connections the pool has at most. */
  connections?: number;
  connectTimeoutMs?: number;
  /** The database gives up a statement after this time. */
  statementTimeoutMs?: number;
  /** The database gives up a wait for a lock after this time. MariaDB rounds it up to seconds. */
  lockTimeoutMs?: number;
  /** The isolation level of transactions that name none, such as `REPEATABLE READ`. */
  isolation?: string;
  /** For the tests of `test/engines/postgres`. */
  postgres?: Partial<PostgresOptions>;
}

export interface TestDatabase {
  /** Options for DataSources on this database: migrated at the first connection. */
  options: DataSourceOptions;
  /** A DataSource that is open. */
  dataSource: DataSource;
  /** True if the database runs in this process, with one connection for all. */
  isEmbedded: boolean;
  /** The name of a table, as SQL needs it. */
  table(name: string): string;
  /** The same database over another DataSource; an embedded one has only one connection to share. */
  another(): Promise<TestDatabase>;
  close(): Promise<void>;
}

/** Opens a database that `drop` removes when it is closed, and at once when it cannot be opened. */
export async function closedBy(
  drop: () => Promise<void>,
  open: () => Promise<TestDatabase>,
): Promise<TestDatabase> {
  try {
    const opened = await open();
    return { ...opened, close: () => opened.close().then(drop) };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** A rule of the host that refuses rows. */
export interface HostRule {
  table: 'shipping_method' | 'shipping_order_event';
  on: 'INSERT' | 'UPDATE';
  /** The values of the rows that the rule refuses. By default it refuses all rows. */
  where?: Record<string, string>;
  message: string;
  /** The code of the error, which is one of `Engine.conflicts`. */
  conflict?: string;
}

export type Undo = () => Promise<unknown>;

/**
 * What the tests need from an engine. A manager may be in a transaction; `dataSource.manager` is in none. Whatever the
 * helpers create belongs to the host, and ends with the database.
 */
export interface Engine {
  readonly has: Readonly<Record<Ability, boolean>>;
  /** A database of its own, empty but for the tables. */
  open(settings: DatabaseSettings): Promise<TestDatabase>;

  // The errors of the driver, by their codes or messages.

  /** The codes for a conflict of two transactions, such as a deadlock. */
  readonly conflicts: readonly string[];
  /** The code for a lock that was not free in time. It is one of the conflicts. */
  readonly lockTimeout: string;
  /** The message of a COMMIT after `failCommit`. */
  readonly commitFailure: RegExp;
  /** The driver's error for a connection that breaks. */
  brokenConnection(): Error;

  // Tables and rules that a host may have in the same database.

  /** `cart`, whose rows refer to methods by their ids. */
  createCart(manager: EntityManager): Promise<void>;
  putIntoCart(manager: EntityManager, projectId: string, methodId: string): Promise<void>;
  /** `quote`, whose rows refer to methods by their codes. */
  createQuotes(manager: EntityManager): Promise<void>;
  addQuote(manager: EntityManager, projectId: string, carrier: string, method: string): Promise<void>;
  /** `tenant`, with these rows. */
  createTenants(manager: EntityManager, ids: readonly string[]): Promise<void>;
  /** From now on, each method and event refers to its tenant. */
  referToTenants(manager: EntityManager): Promise<void>;
  /** Locks a tenant until the end of the transaction. */
  lockTenant(manager: EntityManager, id: string): Promise<void>;
  refuse(manager: EntityManager, rule: HostRule): Promise<Undo>;
  /** A trigger that sets `use_default` to `['method_label']` in each update. */
  changeUseDefault(manager: EntityManager): Promise<Undo>;
  /** An index named `labels` that lets a project have each label once. */
  makeLabelsUnique(manager: EntityManager, projectId: string): Promise<void>;
  /** To be called before the transaction in which `failCommit` is called. */
  prepareFailingCommits(manager: EntityManager): Promise<void>;
  /** Makes the COMMIT of this transaction fail. */
  failCommit(manager: EntityManager): Promise<void>;

  // Connections, locks and settings.

  /** Isolation levels that are not the default. */
  readonly isolationLevels: readonly string[];
  /** @returns when the transaction began, or a moment later, by the clock of the database */
  beganAt(manager: EntityManager): Promise<Date>;
  /** @returns the id of a connection that waits for a lock of this transaction, as soon as there is one */
  someoneWaitsFor(manager: EntityManager): Promise<number>;
  killConnection(manager: EntityManager, id: number): Promise<void>;
  /** A trigger that kills the connection which inserts a method or an event. */
  killInserters(manager: EntityManager): Promise<void>;
  /** Gives up a statement of this transaction that waits longer for a lock, while `work` runs. */
  withLockTimeout<Done>(manager: EntityManager, ms: number, work: () => Promise<Done>): Promise<Done>;
  /** @returns all settings of the connection */
  settings(manager: EntityManager): Promise<unknown>;
  /**
   * Calls `around` in place of each statement that goes to the driver.
   * @returns a function that ends it
   */
  intercept(
    manager: EntityManager,
    around: (sql: string, send: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<() => void>;

  // What is stored.

  /** The names of our tables in this database, with their prefixes. */
  tableNames(manager: EntityManager): Promise<string[]>;
  /** The columns of each key and index of our tables. */
  keys(manager: EntityManager): Promise<string[][]>;
  /** Keys that the engine needs in addition to ours. */
  readonly extraKeys: readonly string[][];
}
