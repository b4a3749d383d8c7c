import { setTimeout as delay } from 'node:timers/promises';
import { type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { ShippingException } from '../problems/shipping.exception.js';
import { DatabaseUnavailableError } from './database.errors.js';
import { connectionError, contentionOf, endsTransaction } from './engines/connection-errors.js';
import { isSqlite } from './engines/engine.js';
import { type Transactions, transactionsOf } from './transactions.js';

/** The last argument of every service method. */
export interface CallOptions {
  /** Joins this manager's transaction: nothing is committed, retried or visible to others on its own. */
  manager?: EntityManager;
}

type Work<Result> = (manager: EntityManager) => Promise<Result>;

const maxTries = 3;

/** Runs work on the database: in the caller's transaction, or on a connection of its own to the primary. */
export class Database {
  private readonly transactions: Transactions;

  /** @param ambientManager the option `entityManager` of the module */
  constructor(
    readonly dataSource: DataSource,
    private readonly ambientManager?: () => EntityManager | undefined,
  ) {
    this.transactions = transactionsOf(dataSource);
  }

  /**
   * The manager of the caller's transaction; undefined: there is none. Ask once for each call, at its beginning.
   * @param more the options that this call takes beside `manager`
   * @throws TypeError for a manager of another DataSource, and for an unknown option
   */
  joined(options: CallOptions, more: readonly string[] = []): EntityManager | undefined {
    // A misspelt `manager` would be ignored, and the call would commit by itself.
    const unknown = Object.keys(options).find((name) => name !== 'manager' && !more.includes(name));
    if (unknown !== undefined) {
      const known = ['manager', ...more].join(' and ');
      throw new TypeError(`This call has no option "${unknown}". It takes ${known}.`);
    }
    const manager = options.manager ?? this.ambientManager?.() ?? this.dataSource.manager;
    if (manager.connection !== this.dataSource)
      throw new TypeError(
        'The manager belongs to another DataSource than ShippingModule: pass one of the DataSource it was given.',
      );
    return manager.queryRunner ? manager : undefined;
  }

  /** @throws DatabaseUnavailableError */
  read<Result>(joined: EntityManager | undefined, work: Work<Result>): Promise<Result> {
    if (joined) return this.inTurn(joined, () => work(joined));
    return this.alone((runner) => work(runner.manager), false);
  }

  /**
   * For one statement that writes: outside of the caller's transaction it commits by itself.
   * @throws DatabaseUnavailableError, OutcomeUnknownError
   */
  append<Result>(joined: EntityManager | undefined, work: Work<Result>): Promise<Result> {
    if (joined) return this.inTurn(joined, () => this.writeIn(joined, work));
    return this.alone((runner) => work(runner.manager), true);
  }

  /**
   * For statements that belong together: outside of the caller's transaction, in one of their own.
   * @throws DatabaseUnavailableError, OutcomeUnknownError
   */
  write<Result>(joined: EntityManager | undefined, work: Work<Result>): Promise<Result> {
    if (joined) return this.inTurn(joined, () => this.writeIn(joined, work));
    return this.alone(({ manager }) => this.inOneOfItsOwn(manager, work));
  }

  /**
   * Whether this code is part of work on the one connection of SQLite, such as that of `onChange`. It must not wait for
   * work that it shares with others: that waits for the connection.
   */
  isOnOnlyConnection(): boolean {
    return this.transactions.isInside() && isSqlite(this.dataSource.manager);
  }

  /** Runs `action` after the outermost COMMIT. */
  afterCommit({ queryRunner }: EntityManager, action: () => void): void {
    if (queryRunner) this.transactions.afterCommit(queryRunner, action);
    else action();
  }

  /** The caller's transaction has a change by half: TypeORM can only roll it back. */
  fail({ queryRunner }: EntityManager): void {
    if (queryRunner) this.transactions.fail(queryRunner);
  }

  /** @param mayHaveCommitted as in `connectionError` */
  private async alone<Result>(
    work: (runner: QueryRunner) => Promise<Result>,
    mayHaveCommitted?: boolean,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const runner = this.dataSource.createQueryRunner('master');
      try {
        await runner.connect().catch((error: unknown) => {
          throw new DatabaseUnavailableError(error);
        });
        // TypeORM has one connection to SQLite for all. Two transactions on it would become one.
        if (isSqlite(runner.manager)) return await this.transactions.inTurn(runner, () => work(runner), true);
        return await work(runner);
      } catch (error) {
        if (attempt === maxTries || contentionOf(error) !== 'race')
          throw connectionError(error, mayHaveCommitted);
      } finally {
        await runner.release();
      }
      await delay(Math.random() * 20 * attempt);
    }
  }

  private async inTurn<Result>(joined: EntityManager, work: () => Promise<Result>): Promise<Result> {
    const runner = runnerOf(joined);
    try {
      return await this.transactions.inTurn(runner, () =>
        work().catch(async (error: unknown) => {
          if (runner.isTransactionActive && (await endsTransaction(runner, error)))
            await this.transactions.beginAgain(runner);
          throw error;
        }),
      );
    } catch (error) {
      throw connectionError(error);
    }
  }

  /** `work` may run code of the host, such as `onChange`, which may catch the error of a statement. */
  private inOneOfItsOwn<Result>(manager: EntityManager, work: Work<Result>): Promise<Result> {
    return manager.transaction((begun) => {
      this.transactions.join(runnerOf(begun));
      return work(begun);
    });
  }

  private async writeIn<Result>(joined: EntityManager, work: Work<Result>): Promise<Result> {
    const runner = runnerOf(joined);
    if (!runner.isTransactionActive) return this.inOneOfItsOwn(joined, work);
    try {
      return await work(joined);
    } catch (error) {
      if (!(error instanceof ShippingException)) this.transactions.fail(runner);
      throw error;
    }
  }
}

function runnerOf({ queryRunner }: EntityManager): QueryRunner {
  if (!queryRunner) throw new TypeError('A joined manager has a query runner.');
  return queryRunner;
}
