import { setTimeout as delay } from 'node:timers/promises';
import { type DataSource, type EntityTarget, type ObjectLiteral, type QueryRunner } from 'typeorm';
import { ShippingException } from '../../shipping.exception.js';
import { connectionError, contentionOf } from '../connection-errors.js';
import { codeOf } from '../engine-errors.js';
import { type Outcome, type Row, runLater, type Script, Scripts, type Statement } from '../rows/scripts.js';
import { type RowDialect } from '../rows/row-dialect.js';
import { DatabaseUnavailableError } from '../storage.errors.js';
import { tableOf } from '../table-of.js';
import { type OpenTransactions, type QueryEvent } from '../open-transactions.js';
import { JoinedTransaction, openTransactionsOf, type Scope } from '../transactions.js';

const maxTries = 3;

/** Written as it is: a backslash means nothing under the SQL mode NO_BACKSLASH_ESCAPES. */
const newline = "'\n'";

const dialect: RowDialect = {
  line: (text, number) => `SUBSTRING_INDEX(SUBSTRING_INDEX(${text}, ${newline}, ${number}), ${newline}, -1)`,
  lines: (texts) => `CONCAT_WS(${newline}, ${texts.join(', ')})`,
  contains: (text, part) => `LOCATE(${part}, ${text}) > 0`,
  starts: (text, part) => `LOCATE(${part}, ${text}) = 1`,
  lock: (scope) => (scope === 'shared' ? 'FOR UPDATE SKIP LOCKED' : 'FOR UPDATE'),
  newest: 'LOCK IN SHARE MODE',
  now: 'UTC_TIMESTAMP(3)',
  timeText: (column) => `CAST(${column} AS CHAR)`,
  // IGNORE would take a shared lock first, and two of these would wait for each other.
  ifThere: 'ON DUPLICATE KEY UPDATE methods = methods',
  byId: 'FORCE INDEX (PRIMARY)',
  returns: true,
  part: (select) => `(${select})`,
};

/** The answer to a statement without rows. */
interface Sent {
  serverStatus?: number;
}

/** MySQL has no RETURNING. */
export function dialectOf({ options }: DataSource): RowDialect {
  return { ...dialect, returns: options.type === 'mariadb' };
}

/** What we use of a connection of `mysql2`. */
interface Connection {
  query(sql: string, done: (error: Error | null, sent: Sent) => void): void;
  execute(
    statement: object,
    values: readonly unknown[],
    done: (error: Error | null, result: unknown) => void,
  ): void;
  unprepare(statement: object): void;
  destroy(): void;
}

/** Whatever a host has set for its own statements. */
const resultOptions = { rowsAsArray: false, nestTables: false, namedPlaceholders: false, typeCast: true };

/** Before a statement: it fails where it would wait for a lock, for instance of a row that a foreign key names. */
const noWait = 'SET STATEMENT innodb_lock_wait_timeout = 0 FOR';

/** Runs scripts on a server of MariaDB or MySQL: in the caller's transaction, or in one of their own. */
export class MariadbScripts extends Scripts {
  /** MySQL has no such settings. There a batch waits. */
  private readonly canBeImpatient: boolean;

  private readonly open: OpenTransactions;

  /** Connections on which TypeORM's last statement left a transaction open, or the next one will begin one. */
  private readonly inUse = new WeakSet<object>();

  constructor(private readonly dataSource: DataSource) {
    super();
    this.open = openTransactionsOf(dataSource);
    this.open.onAnswer = (event) => this.onAnswer(event);
    this.canBeImpatient = dataSource.options.type === 'mariadb';
  }

  table(entity: EntityTarget<ObjectLiteral>): string {
    return tableOf(this.dataSource, entity);
  }

  /** MySQL 8 names the table before the index. */
  isDuplicate(error: unknown, index: string): boolean {
    return codeOf(error) === 'ER_DUP_ENTRY' && new RegExp(`\\b${index}'`).test((error as Error).message);
  }

  isForeignKeyViolation(error: unknown): boolean {
    return /^ER_(ROW_IS_REFERENCED|NO_REFERENCED_ROW)(_2)?$/.test(codeOf(error));
  }

  read<Result>(scope: Scope, script: () => Script<Result>): Promise<Result> {
    return this.run(scope, false, script);
  }

  write<Result>(scope: Scope, script: () => Script<Result>): Promise<Result> {
    return this.run(scope, true, script);
  }

  private async run<Result>(scope: Scope, writes: boolean, script: () => Script<Result>): Promise<Result> {
    if (scope instanceof JoinedTransaction) return scope.inTurn(() => this.runJoined(scope, writes, script));
    for (let attempt = 1; ; attempt++) {
      const runner = this.dataSource.createQueryRunner('master');
      const progress = { isCommitting: false };
      try {
        const connection = await this.lent(runner);
        const send = this.sender(runner, connection, scope === 'shared' && writes);
        if (!writes) return await runLater(script(), send);
        return await inTransaction(connection, () => runLater(script(), send), progress);
      } catch (error) {
        // Who has waited for a lock as long as the server allows does not wait again.
        if (attempt === maxTries || contentionOf(error) !== 'race')
          throw connectionError(error, progress.isCommitting);
      } finally {
        await runner.release();
      }
      await delay(Math.random() * 20 * attempt);
    }
  }

  private async runJoined<Result>(
    scope: JoinedTransaction,
    writes: boolean,
    script: () => Script<Result>,
  ): Promise<Result> {
    const { runner } = scope;
    scope.assertOpen();
    const progress = { isCommitting: false };
    try {
      const connection = await connectionOf(runner);
      const send = this.sender(runner, connection);
      const run = (): Promise<Result> =>
        runLater(script(), (statement) => {
          scope.assertOpen();
          return send(statement);
        });
      if (!writes) return await run();
      if (runner.isTransactionActive) return await run();
      // The host may have begun a transaction by a statement of its own. Nobody would refuse its COMMIT.
      const unit = (await isInTransaction(connection)) ? savepoint : transaction;
      return await inTransaction(connection, run, progress, unit);
    } catch (error) {
      if (writes && !(error instanceof ShippingException)) scope.fail();
      await this.reopenAfter(runner, error);
      throw connectionError(error, progress.isCommitting);
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
    if (hasTransaction(serverStatus) || !commitsByItself(serverStatus)) this.inUse.add(connection);
    else this.inUse.delete(connection);
  }

  /** Takes a connection of the pool. One that the host gave back inside a transaction is rolled back first. */
  private async lent(runner: QueryRunner): Promise<Connection> {
    const connection = await connectionOf(runner);
    if (this.inUse.has(connection)) this.note(connection, await control(connection, 'ROLLBACK'));
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
  private sender(
    runner: QueryRunner,
    connection: Connection,
    isImpatient = false,
  ): (statement: Statement) => Promise<Outcome> {
    return ({ sql: plain, values, isOneOff }) => {
      const sql = isImpatient && this.canBeImpatient ? `${noWait} ${plain}` : plain;
      this.dataSource.logger.logQuery(sql, [...values], runner);
      return new Promise((resolve, reject) => {
        const statement = { sql, ...resultOptions };
        connection.execute(statement, values, (error, result) => {
          // All connections together may hold only so many.
          if (isOneOff) connection.unprepare(statement);
          if (error) reject(error);
          else if (Array.isArray(result)) resolve({ rows: result as Row[], affected: 0 });
          else resolve({ rows: [], affected: (result as { affectedRows: number }).affectedRows });
        });
      });
    };
  }
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
  progress: { isCommitting: boolean },
  { begin, commit, rollback } = transaction,
): Promise<Result> {
  await control(connection, begin);
  try {
    const result = await work();
    progress.isCommitting = commit === 'COMMIT';
    await control(connection, commit);
    return result;
  } catch (error) {
    await control(connection, rollback).catch(() => {
      // The next user of the connection would read inside of the transaction, or commit it.
      if (rollback === 'ROLLBACK') connection.destroy();
    });
    throw error;
  }
}

function control(connection: Connection, sql: string): Promise<Sent> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error, sent) => (error ? reject(error) : resolve(sent)));
  });
}
