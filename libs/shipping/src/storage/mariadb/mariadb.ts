import { setTimeout as delay } from 'node:timers/promises';
import { type DataSource, type QueryRunner } from 'typeorm';
import { ShippingException } from '../../shipping.exception.js';
import { connectionError, contentionOf } from '../connection-errors.js';
import { codeOf } from '../engine-errors.js';
import { rowDialect, type RowDialect } from '../rows/row-dialect.js';
import { type Outcome, type Row, runLater, type Script, Scripts, type Statement } from '../scripts.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../storage.errors.js';
import { type OpenTransactions, type QueryEvent } from '../open-transactions.js';
import { JoinedTransaction, openTransactionsOf, type Scope } from '../transactions.js';

const maxTries = 3;

/** Written as it is: a backslash means nothing under the SQL mode NO_BACKSLASH_ESCAPES. */
const newline = "'\n'";

const dialect: RowDialect = {
  ...rowDialect,
  line: (text, number) =>
    `SUBSTRING_INDEX(SUBSTRING_INDEX(CONCAT(${text}, ${newline}), ${newline}, ${number}), ${newline}, -1)`,
  contains: (text, part) => `LOCATE(${part}, ${text}) > 0`,
  starts: (text, part) => `LOCATE(${part}, ${text}) = 1`,
  concat: (texts) => `CONCAT(${texts.join(', ')})`,
  joined: (separator, texts) => `CONCAT_WS(${separator}, ${texts.join(', ')})`,
  jsonText: (text) => `COALESCE(JSON_QUOTE(${text}), 'null')`,
  wireTime: (time) => `CONCAT(REPLACE(${time}, ' ', 'T'), 'Z')`,
  lock: (scope) => (scope === 'shared' ? 'FOR UPDATE SKIP LOCKED' : 'FOR UPDATE'),
  newest: 'LOCK IN SHARE MODE',
  now: 'UTC_TIMESTAMP(3)',
  // IGNORE would take a shared lock first, and two of these would wait for each other.
  ifThere: 'ON DUPLICATE KEY UPDATE methods = methods',
  orNothing: '',
  byKey: 'FORCE INDEX (PRIMARY)',
  returns: true,
  returnsStored: true,
  part: (select) => `(${select})`,
};

/** The answer to a statement without rows. */
interface Sent {
  serverStatus?: number;
}

/** MySQL has no RETURNING. */
export function dialectOf({ options }: DataSource): RowDialect {
  const returns = options.type === 'mariadb';
  return { ...dialect, returns, returnsStored: returns };
}

/** What we use of a connection of `mysql2`. */
interface Connection {
  query(sql: string, done: (error: Error | null, sent: Sent) => void): void;
  execute(
    statement: object,
    values: readonly unknown[],
    done: (error: Error | null, result: unknown) => void,
  ): void;
  prepare(statement: object, done: (error: Error | null) => void): void;
  unprepare(statement: object): void;
  destroy(): void;
}

/** The statements that a connection has prepared. */
interface Prepared {
  readonly known: Set<string>;
  /** They hardly come again. All connections together may hold only so many. */
  spent: object[];
}

/** Whatever a host has set for its own statements. */
const resultOptions = { rowsAsArray: false, nestTables: false, namedPlaceholders: false, typeCast: true };

/**
 * Before a statement that writes: it fails where it would wait for a lock, for instance of a row that a foreign key names.
 * MariaDB fails with 1180 if such a statement ends with SKIP LOCKED and meets a lock. MySQL has no such settings: there a
 * batch waits.
 */
const noWait = 'SET STATEMENT innodb_lock_wait_timeout = 0 FOR ';

const committed =
  'A statement in this transaction has committed it, as DDL and TRUNCATE do. Send it before the transaction begins.';

/** Runs scripts on a server of MariaDB or MySQL: in the caller's transaction, or in one of their own. */
export class MariadbScripts extends Scripts {
  /** Before a statement of a batch that writes. */
  private readonly noWait: string;

  private readonly prepared = new WeakMap<object, Prepared>();

  private readonly open: OpenTransactions;

  /** Whether TypeORM's last statement on a connection left a transaction open, or the next one will begin one. */
  private readonly inUse = new WeakMap<object, boolean>();

  constructor(dataSource: DataSource) {
    super(dataSource);
    this.open = openTransactionsOf(dataSource);
    this.open.onAnswer = (event) => this.onAnswer(event);
    this.noWait = dataSource.options.type === 'mariadb' ? noWait : '';
  }

  /** MySQL 8 names the table before the index. */
  isDuplicate(error: unknown, index: string): boolean {
    return codeOf(error) === 'ER_DUP_ENTRY' && new RegExp(`\\b${index}'`).test((error as Error).message);
  }

  isForeignKeyViolation(error: unknown): boolean {
    return /^ER_(ROW_IS_REFERENCED|NO_REFERENCED_ROW)(_2)?$/.test(codeOf(error));
  }

  run<Result>(scope: Scope, script: () => Script<Result>): Promise<Result> {
    return this.execute(scope, script, false);
  }

  write<Result>(scope: Scope, script: () => Script<Result>): Promise<Result> {
    return this.execute(scope, script, true);
  }

  /** @param isUnit the script is done as a whole, or not at all */
  private async execute<Result>(
    scope: Scope,
    script: () => Script<Result>,
    isUnit: boolean,
  ): Promise<Result> {
    if (scope instanceof JoinedTransaction) return scope.inTurn(() => this.executeIn(scope, script, isUnit));
    for (let attempt = 1; ; attempt++) {
      const runner = this.dataSource.createQueryRunner('master');
      const progress = { mayHaveCommitted: false };
      try {
        const connection = await this.lent(runner);
        const run = (): Promise<Result> =>
          runLater(script(), (statement) => {
            const { writes = false } = statement;
            if (!isUnit) progress.mayHaveCommitted ||= writes;
            const prefix = scope === 'shared' && writes ? this.noWait : '';
            return this.sent(runner, connection, statement, isUnit, prefix);
          });
        return await (isUnit ? inTransaction(connection, run, progress) : run());
      } catch (error) {
        // Who has waited for a lock as long as the server allows does not wait again.
        if (attempt === maxTries || contentionOf(error) !== 'race')
          throw connectionError(error, progress.mayHaveCommitted);
      } finally {
        await runner.release();
      }
      await delay(Math.random() * 20 * attempt);
    }
  }

  private async executeIn<Result>(
    scope: JoinedTransaction,
    script: () => Script<Result>,
    isUnit: boolean,
  ): Promise<Result> {
    const { runner } = scope;
    scope.assertOpen();
    const progress = { mayHaveCommitted: false };
    let writes = isUnit;
    try {
      const connection = await connectionOf(runner);
      if (runner.isTransactionActive && this.inUse.get(connection) === false) throw new Error(committed);
      const run = (): Promise<Result> =>
        runLater(script(), (statement) => {
          scope.assertOpen();
          writes ||= !!statement.writes;
          if (!isUnit) progress.mayHaveCommitted = writes && !runner.isTransactionActive;
          return this.sent(runner, connection, statement, isUnit || this.inUse.get(connection) === true);
        });
      if (!isUnit || runner.isTransactionActive) return await run();
      // The host may have begun a transaction by a statement of its own. Nobody would refuse its COMMIT.
      const unit = (await isInTransaction(connection)) ? savepoint : transaction;
      return await inTransaction(connection, run, progress, unit);
    } catch (error) {
      if (writes && !(error instanceof ShippingException)) scope.fail();
      await this.reopenAfter(runner, error);
      throw connectionError(error, progress.mayHaveCommitted);
    }
  }

  /** Hears of the answer to a statement of TypeORM's. */
  private onAnswer({
    queryRunner,
    query,
    success,
    error,
    rawResults,
  }: QueryEvent): Promise<void> | undefined {
    const { databaseConnection: connection } = queryRunner as { databaseConnection?: Connection };
    // A node of Galera that is cut off refuses it. Later, the next BEGIN would commit what the host was told is refused.
    if (!success && query === 'ROLLBACK') connection?.destroy();
    if (!success) return this.reopenAfter(queryRunner, error);
    if (connection) this.note(connection, rawResults);
    return undefined;
  }

  /** @param answer to one statement, or a list for a procedure or several statements: there the last one tells */
  private note(connection: object, answer: unknown): void {
    const { serverStatus } = Object(Array.isArray(answer) ? answer.at(-1) : answer) as Sent;
    if (serverStatus === undefined) return;
    this.inUse.set(connection, hasTransaction(serverStatus) || !commitsByItself(serverStatus));
  }

  /** Takes a connection of the pool. One that the host gave back inside a transaction is rolled back first. */
  private async lent(runner: QueryRunner): Promise<Connection> {
    const connection = await connectionOf(runner);
    const prepared = this.preparedOn(connection);
    for (const statement of prepared.spent.splice(0)) connection.unprepare(statement);
    if (this.inUse.get(connection)) {
      await control(connection, 'ROLLBACK');
      this.note(connection, await control(connection, 'SET autocommit = 1'));
    }
    return connection;
  }

  /**
   * A deadlock ends the whole transaction on the server, and what the host sends next would commit by itself. So a
   * transaction is opened in its place, which cannot be committed.
   */
  private async reopenAfter(runner: QueryRunner, error: unknown): Promise<void> {
    if (!contentionOf(error)) return;
    const connection = await connectionOf(runner);
    // A lock time-out does the same only if innodb_rollback_on_timeout is set, or if Galera undoes it just after that.
    const isOpen = await isInTransaction(connection).catch((failed) => contentionOf(failed) !== 'race');
    if (isOpen) return;
    for (const sql of this.open.failAll(runner)) await control(connection, sql).catch(() => undefined);
  }

  /** The server prepares each statement: values that are escaped here are safe only under some of its SQL modes. */
  private async sent(
    runner: QueryRunner,
    connection: Connection,
    { sql: plain, values, isOneOff }: Statement,
    isInside: boolean,
    prefix = '',
  ): Promise<Outcome> {
    const sql = `${prefix}${plain}`;
    const statement = { sql, ...resultOptions };
    const { known, spent } = this.preparedOn(connection);
    if (isOneOff) spent.push(statement);
    if (isInside && !known.has(sql)) await prepareInside(connection, statement);
    this.dataSource.logger.logQuery(sql, [...values], runner);
    return new Promise((resolve, reject) => {
      connection.execute(statement, values, (error, result) => {
        // The pool may lend it once more before it hears of the end.
        if (connectionError(error, true) instanceof OutcomeUnknownError) connection.destroy();
        if (!error && !isOneOff) known.add(sql);
        if (error) reject(error);
        else if (Array.isArray(result)) resolve({ rows: result as Row[], affected: 0 });
        else resolve({ rows: [], affected: (result as { affectedRows: number }).affectedRows });
      });
    });
  }

  private preparedOn(connection: Connection): Prepared {
    const prepared = this.prepared.get(connection) ?? { known: new Set<string>(), spent: [] };
    this.prepared.set(connection, prepared);
    return prepared;
  }
}

/**
 * Galera may undo a transaction at any time. Any other command gives the error, but if it happens during a PREPARE, the
 * next statement would commit by itself.
 */
async function prepareInside(connection: Connection, statement: object): Promise<void> {
  // Without autocommit, a transaction begins with the first statement.
  const wasInside = await isInTransaction(connection);
  await new Promise<void>((resolve, reject) => {
    connection.prepare(statement, (error) => (error ? reject(error) : resolve()));
  });
  if (!wasInside || (await isInTransaction(connection))) return;
  throw Object.assign(new Error('The server has undone the transaction.'), { code: 'ER_LOCK_DEADLOCK' });
}

async function connectionOf(runner: QueryRunner): Promise<Connection> {
  try {
    return (await runner.connect()) as Connection;
  } catch (error) {
    throw new DatabaseUnavailableError(error);
  }
}

async function isInTransaction(connection: Connection): Promise<boolean> {
  const { serverStatus = 0 } = await control(connection, 'DO 0');
  return hasTransaction(serverStatus);
}

function hasTransaction(serverStatus: number): boolean {
  return (serverStatus & 1) === 1;
}

/** False with `autocommit = 0`. */
function commitsByItself(serverStatus: number): boolean {
  return (serverStatus & 2) === 2;
}

const transaction = { begin: 'START TRANSACTION', commit: 'COMMIT', rollback: 'ROLLBACK' };
const savepoint = {
  begin: 'SAVEPOINT shipping',
  commit: 'RELEASE SAVEPOINT shipping',
  rollback: 'ROLLBACK TO SAVEPOINT shipping',
};

async function inTransaction<Result>(
  connection: Connection,
  work: () => Promise<Result>,
  progress: { mayHaveCommitted: boolean },
  { begin, commit, rollback } = transaction,
): Promise<Result> {
  await control(connection, begin);
  try {
    const result = await work();
    progress.mayHaveCommitted = commit === 'COMMIT';
    await control(connection, commit).catch((error: unknown) => {
      throw progress.mayHaveCommitted ? errorOfCommit(error) : error;
    });
    return result;
  } catch (error) {
    await control(connection, rollback).catch(() => {
      // The next user of the connection would read inside of the transaction, or commit it.
      if (rollback === 'ROLLBACK') connection.destroy();
    });
    throw error;
  }
}

/** An error that is not known does not tell whether the change was committed, so it must not be made again. */
function errorOfCommit(error: unknown): unknown {
  return connectionError(error) === error ? new OutcomeUnknownError(error) : error;
}

function control(connection: Connection, sql: string): Promise<Sent> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error, sent) => (error ? reject(error) : resolve(sent)));
  });
}
