import {
  type DataSource,
  type EntityMetadata,
  type InsertQueryBuilder,
  type ObjectLiteral,
  type QueryRunner,
} from 'typeorm';

/** The meaning of an error code of a driver or a server. */
export type ErrorMeaning =
  /** The statement has waited too long for a lock. */
  | 'lock'
  /** Another writer won. The same transaction may succeed now. */
  | 'race'
  /** The server refused the statement or the connection, and nothing was changed. */
  | 'refused'
  /** The server refused the connection. If a statement fails with the same code, it means something else. */
  | 'refusedWhenConnecting'
  /** The connection broke. If a COMMIT was sent, nobody knows its outcome. */
  | 'broken'
  /** The COMMIT failed, but the transaction may be committed. */
  | 'openCommit'
  /** A row has the same values in a unique index already. */
  | 'duplicate'
  /** A foreign key is violated: for instance, a row of another table refers to the row. */
  | 'foreignKey';

/** The end of an error about an option of the DataSource. */
export const ownDataSourceRemedy =
  "If your own code needs it, give ShippingModule a DataSource of its own: ShippingModule.forRoot({ dataSource: 'name' }).";

/** The fields of driver errors that we read. */
export interface DriverError {
  code?: unknown;
  errno?: unknown;
  table?: unknown;
  message?: unknown;
}

/** Quotes each part of a path, such as `schema.table`. */
export function quotedPath({ driver }: DataSource, path: string): string {
  return path
    .split('.')
    .map((name) => driver.escape(name))
    .join('.');
}

/** An engine: the statements, errors, column types and settings in which it differs from the other engines. */
export interface Dialect {
  /** TypeORM's names of the engine, as in the option `type` of a DataSource. */
  readonly types: readonly DataSource['options']['type'][];
  /** Whether TypeORM has one connection for all calls. Two transactions at the same time would become one. */
  readonly hasOneConnection: boolean;
  /**
   * Whether a transaction reads from one snapshot by default. All its reads then show the moment of the first one,
   * unless the host has chosen a lower isolation level.
   */
  readonly readsFromSnapshot: boolean;
  /** Whether a statement that fails ends the transaction. On the other engines, the transaction may go on. */
  readonly failureEndsTransaction: boolean;
  /** Whether the server ends the whole transaction, with its savepoints, after a lost race. */
  readonly lostRaceEndsTransaction: boolean;
  /** Waits until the server has responded to every statement that was sent before. Undefined if nobody has to. */
  whenIdle?(runner: QueryRunner): Promise<void>;
  /** The isolation level at which a call that has lost a race is tried again. */
  readonly levelOfRetries: 'READ COMMITTED' | 'SERIALIZABLE';
  /** SQL for the time of the database, the same in the whole statement. */
  readonly now: string;
  /**
   * Returns SQL for a time column as the text that clients get. It is text, so that no driver or session converts it.
   */
  timeColumn(column: string): string;
  /** Returns SQL for a time column in RETURNING, as milliseconds since 1970. By default it is `timeColumn`. */
  returnedTime?(column: string): string;
  /** Returns SQL for a column that is not a time. A parser of the host must not change its value. */
  valueColumn(column: string): string;
  /** Returns the parameter for a time of a client. */
  timeParameter(time: string): string;
  /**
   * Makes an INSERT add nothing when the key is taken.
   * @param column any column of the key
   */
  ifAbsent<Row extends ObjectLiteral>(
    insert: InsertQueryBuilder<Row>,
    column: string,
  ): InsertQueryBuilder<Row>;
  /**
   * SQL at the end of a SELECT. It locks the rows: no other transaction can change them until this one ends. Several
   * transactions can have this lock at once.
   */
  readonly shareLock: string;
  /** Returns SQL for the number of a new row. Undefined if the database numbers the rows. */
  nextNumber?(table: string, column: string): string;
  /**
   * The meanings of the codes. A code that ends with `*` stands for all codes that begin with it. A code and the
   * beginning of a message, with `*`, stand for the errors with both. The first entry that fits decides.
   */
  readonly errorCodes: Readonly<Record<string, ErrorMeaning>>;
  /** The errors that have no code, by the beginnings of their messages. */
  readonly errorMessages: Readonly<Record<string, ErrorMeaning>>;
  /** Gives the columns and indexes of our entities the form that this engine has. */
  adaptEntity(metadata: EntityMetadata, dataSource: DataSource): void;
  /**
   * @param tablePaths the tables that the module needs; they may be missing
   * @throws Error that names the remedy, for a database or a setting under which data is lost or wrong
   */
  checkDatabase?(dataSource: DataSource, tablePaths: readonly string[]): Promise<void>;
}
