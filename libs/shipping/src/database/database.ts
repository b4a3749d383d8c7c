import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataSource, type EntityManager, type QueryRunner, TypeORMError } from 'typeorm';
import { ShippingException } from '../problems/shipping.exception.js';
import { DatabaseUnavailableError } from './database.errors.js';
import { connectionError, contentionOf } from './connection-errors.js';
import { isSqlite } from './engines/engine.js';
import { onePerDataSource } from './one-per-data-source.js';
import { type OpenTransactions, openTransactionsOf } from './open-transactions.js';
import { Turns } from './turns.js';

/** The last argument of every service method. */
export interface CallOptions {
  /** Joins this manager's transaction: nothing is committed, retried or visible to others on its own. */
  manager?: EntityManager;
}

type Work<Result> = (manager: EntityManager) => Promise<Result>;

/** The work of a call after its statements. */
export interface Completion<Result> {
  /** Returns the function that runs after the outermost COMMIT. Called before `hook`, which may change the result. */
  announcement?: (result: Result) => () => void;
  /**
   * Code of the host, such as `onChange`. It runs in the transaction, after the statements of the call. If it throws, the
   * transaction can only be rolled back.
   */
  hook?: ((result: Result, manager: EntityManager) => Promise<void>) | undefined;
}

const maxTries = 3;

/** Tells a call whether a hook has made it. */
const hookOn = onePerDataSource(() => new AsyncLocalStorage<{ isRunning: boolean }>());

/** Errors of hooks that are not about the database, such as a broken connection to another service. They stay as they are. */
const foreignErrors = new WeakSet<object>();

/** TypeORM has one connection to SQLite for all. Two transactions on it would become one. */
const sqliteTurnsOn = onePerDataSource(() => new Turns());

/** Runs work on the database: in the caller's transaction, or on a connection of its own to the primary. */
export class Database {
  private readonly transactions: OpenTransactions;

  /** @param ambientManager the option `entityManager` of the module */
  constructor(
    readonly dataSource: DataSource,
    private readonly ambientManager?: () => EntityManager | undefined,
  ) {
    this.transactions = openTransactionsOf(dataSource);
    this.observe();
  }

  /** Observes the host's transactions from now on. `DataSource.initialize()` ends it. */
  observe(): void {
    this.transactions.subscribe();
  }

  /**
   * Returns the manager of the caller's transaction, or undefined if there is none. Each call asks once, at its beginning.
   * @param more the options that this call takes beside `manager`
   * @throws TypeError for an unknown option, a manager of another DataSource, and a call inside of a hook without a manager
   */
  joined(options: CallOptions, more: readonly string[] = []): EntityManager | undefined {
    this.observe();
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
    if (manager.queryRunner) return manager;
    if (hookOn(this.dataSource).getStore()?.isRunning)
      throw new TypeError(
        'A call inside of onChange or onEvent would wait for the transaction that it is part of: pass the manager that onChange or onEvent was given.',
      );
    return undefined;
  }

  /** @throws DatabaseUnavailableError */
  read<Result>(joined: EntityManager | undefined, work: Work<Result>): Promise<Result> {
    if (joined) return this.join(joined, work);
    return this.alone(({ manager }) => work(manager), false);
  }

  /**
   * Runs work in which at most one statement writes. Outside of the caller's transaction, this statement commits by itself.
   * @throws DatabaseUnavailableError, OutcomeUnknownError
   */
  autocommit<Result>(joined: EntityManager | undefined, work: Work<Result>): Promise<Result> {
    if (joined) return this.write(joined, work);
    return this.alone(({ manager }) => work(manager), true);
  }

  /**
   * Runs statements that belong together. Outside of the caller's transaction, they get one of their own.
   * @throws DatabaseUnavailableError, OutcomeUnknownError, and what the hook throws
   */
  write<Result>(
    joined: EntityManager | undefined,
    work: Work<Result>,
    completion?: Completion<Result>,
  ): Promise<Result> {
    if (joined?.queryRunner?.isTransactionActive) return this.join(joined, work, completion);
    const begin = (manager: EntityManager): Promise<Result> =>
      manager.transaction((begun) => this.join(begun, work, completion));
    if (joined) return begin(joined).catch(throwTyped);
    return this.alone(({ manager }) => begin(manager));
  }

  /**
   * Runs work that first waits for a lock and then reads, in a transaction of its own. The isolation level does not depend on
   * the host's default: at a stricter one, PostgreSQL would refuse the work after the wait.
   * @throws as `write`
   */
  writeAfterLock<Result>(work: Work<Result>, completion?: Completion<Result>): Promise<Result> {
    const run = (begun: EntityManager): Promise<Result> => this.join(begun, work, completion);
    return this.alone(({ manager }) =>
      // SQLite has one writer at a time, and does not know this level.
      isSqlite(manager) ? manager.transaction(run) : manager.transaction('READ COMMITTED', run),
    );
  }

  /**
   * Runs work on the caller's connection. If a statement or the code of the host fails, the caller's transaction can only be
   * rolled back, even if the caller catches the error. A refusal is no such failure: it was decided before any statement
   * failed, so it has no cause.
   */
  private join<Result>(
    manager: EntityManager,
    work: Work<Result>,
    { announcement, hook }: Completion<Result> = {},
  ): Promise<Result> {
    return this.transactions.join(runnerOf(manager), async (call) => {
      const fail = (error: unknown): never => {
        call.fail(error);
        throw error;
      };
      const result = await call
        .inTurn(() => work(manager))
        .catch((error: unknown) => {
          const typed = typedError(error);
          const isRefusal = typed instanceof ShippingException && typed.cause === undefined;
          if (isRefusal) throw typed;
          return fail(typed);
        });
      if (announcement) call.afterCommit(announcement(result));
      // Outside of the turn, so that the host's code can call us with the manager.
      if (hook)
        await this.inHook(() => hook(result, manager)).catch((error: unknown) => {
          const isOfDatabase = error instanceof TypeORMError || error instanceof ShippingException;
          if (!isOfDatabase) foreignErrors.add(Object(error));
          return fail(typedError(error));
        });
      return result;
    });
  }

  private async inHook(hook: () => Promise<void>): Promise<void> {
    const state = { isRunning: true };
    try {
      await hookOn(this.dataSource).run(state, hook);
    } finally {
      state.isRunning = false;
    }
  }

  /** @param mayHaveCommitted as in `connectionError` */
  private alone<Result>(
    work: (runner: QueryRunner) => Promise<Result>,
    mayHaveCommitted?: boolean,
  ): Promise<Result> {
    const run = (): Promise<Result> => this.onOwnConnection(work, mayHaveCommitted);
    return isSqlite(this.dataSource.manager) ? sqliteTurnsOn(this.dataSource).take(run) : run();
  }

  private async onOwnConnection<Result>(
    work: (runner: QueryRunner) => Promise<Result>,
    mayHaveCommitted?: boolean,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const runner = this.dataSource.createQueryRunner('master');
      try {
        await runner.connect().catch((error: unknown) => {
          throw new DatabaseUnavailableError(error);
        });
        return await work(runner);
      } catch (error) {
        const isRace = contentionOf(error) === 'race' && !foreignErrors.has(Object(error));
        if (attempt === maxTries || !isRace) throw typedError(error, mayHaveCommitted);
      } finally {
        await runner.release();
      }
      await delay(Math.random() * 20 * attempt);
    }
  }
}

function throwTyped(error: unknown): never {
  throw typedError(error);
}

/** @param mayHaveCommitted as in `connectionError` */
function typedError(error: unknown, mayHaveCommitted?: boolean): unknown {
  return foreignErrors.has(Object(error)) ? error : connectionError(error, mayHaveCommitted);
}

function runnerOf({ queryRunner }: EntityManager): QueryRunner {
  if (!queryRunner) throw new TypeError('A joined manager has a query runner.');
  return queryRunner;
}
