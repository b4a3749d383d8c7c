import { AsyncLocalStorage } from 'node:async_hooks';
import { type DataSource } from 'typeorm';
import { type AbstractSqliteDriver } from 'typeorm/driver/sqlite-abstract/AbstractSqliteDriver.js';
import { endedTransactionError, type OpenTransaction } from './connection-state.js';
import { DatabaseUnavailableError } from './database.errors.js';
import { withinMs } from './timers.js';
import { Turns } from './turns.js';

/**
 * How long a call waits for the transaction of another caller: as long as SQLite waits for another process by default.
 */
const maxWaitMs = 5_000;

const notEndedMessage =
  'The transaction of another caller did not end. If it waits for this call, pass its manager to the call.';

/** A database of better-sqlite3 has these members, among others. */
interface SqliteDatabase {
  readonly inTransaction: boolean;
  exec(sql: string): unknown;
}

interface OwnTransaction {
  ended?: Promise<unknown>;
}

/**
 * The one connection that all callers have on SQLite. A transaction that begins inside of another one is part of it.
 */
export class SharedConnection {
  /** Calls without a manager of the caller take turns. */
  readonly turns = new Turns();
  /** The transaction of ours that runs now. */
  private current: OwnTransaction | undefined;
  /** The transaction of ours in whose async context this code runs. It may have ended. */
  private readonly around = new AsyncLocalStorage<OwnTransaction>();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs a transaction of ours when no other one is open.
   * @param outermost returns the outermost transaction that is open
   * @throws DatabaseUnavailableError when the other transaction does not end, for instance because it waits for this
   *   call
   */
  async runAlone<Result>(
    outermost: () => { readonly ended: Promise<void> } | undefined,
    transaction: () => Promise<Result>,
  ): Promise<Result> {
    for (let other = outermost(); other; other = outermost()) {
      await withinMs(other.ended, maxWaitMs);
      if (outermost() === other) throw new DatabaseUnavailableError(new Error(notEndedMessage), 'lock');
    }
    // Nothing may come between the check and the begin.
    const own: OwnTransaction = {};
    this.current = own;
    const result = this.around.run(own, transaction);
    own.ended = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      // If a subscriber of the host was slow, the next transaction has begun already.
      if (this.current === own) this.current = undefined;
    }
  }

  /** Whether SQLite itself has a transaction open. It rolls back by itself, for instance because the disk is full. */
  get isInTransaction(): boolean {
    return this.database.inTransaction;
  }

  /**
   * Begins the transaction and its savepoints again, if SQLite has rolled them back by itself. Otherwise the ROLLBACK
   * of TypeORM would fail, and TypeORM would begin every later transaction as a savepoint.
   */
  beginAgain([outermost, ...nested]: readonly OpenTransaction[]): void {
    if (!outermost || this.isInTransaction) return;
    this.database.exec(['BEGIN', ...nested.map((_, index) => `SAVEPOINT typeorm_${index + 1}`)].join(';'));
    outermost.fail(endedTransactionError());
  }

  /** Returns the transaction of ours that runs now, unless the caller itself runs in it. */
  transactionToWaitFor(): Promise<unknown> | undefined {
    return this.current === this.around.getStore() ? undefined : this.current?.ended;
  }

  private get database(): SqliteDatabase {
    return (this.dataSource.driver as AbstractSqliteDriver).databaseConnection;
  }
}
