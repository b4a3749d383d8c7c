import { setTimeout as delay } from 'node:timers/promises';
import { type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { type ShippingCallOptions, checkCallOptions, type OptionRule } from './call-options.js';
import { CallContext, currentContext, runInContext } from './call-context.js';
import { typedOwnError } from './driver-errors.js';
import { connectSoundly } from './connections.js';
import { dataSourceOf } from './data-source-of.js';
import { DatabaseUnavailableError, isLostRace, OutcomeUnknownError } from './database.errors.js';
import { type Dialect } from './dialects/dialect.js';
import { dialectOf } from './dialects/dialects.js';
import { KeyedQueue } from './keyed-queue.js';
import { onePerDataSource } from './one-per-data-source.js';
import { type AfterStatements, runCall } from './run-call.js';
import { isInTransaction, stateOf } from './runner-state.js';
import { TransactionSubscriber } from './transaction.subscriber.js';

/**
 * How often the calls of one mount lose a race, are repeated, wait or fail, in this process. The counters begin at its
 * start.
 */
export interface ShippingDatabaseStats {
  /** How often another writer of the same data was faster. Most of these calls succeed, because they are repeated. */
  readonly lostRaces: number;
  /** How often a transaction of this module was run again after a lost race. */
  readonly retries: number;
  /** Calls that wait now in this process, because another call changes the same project. */
  readonly waitingWriters: number;
  /**
   * Calls that failed with a `DatabaseUnavailableError`. Calls that shared a statement or a transaction count once. A
   * change that waited behind a failed one, and failed with it, does not count.
   */
  readonly unavailable: number;
  /** Calls that failed with an `OutcomeUnknownError`. */
  readonly outcomeUnknown: number;
}

type Work<Result> = (manager: EntityManager) => Promise<Result>;
type Attempt<Result> = (runner: QueryRunner, isRetry: boolean) => Promise<Result>;

/**
 * How often a call on a connection of its own is tried. The second try of a change of a method takes the lock first. So
 * it begins at once, and usually succeeds. `record()` takes no lock and may lose again, so later tries wait for a short
 * time.
 */
const maxTries = 6;

/** On SQLite, calls without a manager of the caller run one after another on the one connection. */
const queueOf = onePerDataSource(() => new KeyedQueue());

/** The query runners of callers on which a call of ours has begun a transaction of its own. */
const busyRunners = new WeakSet<QueryRunner>();

/** Runs work on the database: in the caller's transaction, or on a connection of its own to the primary. */
export class Database {
  readonly counters = { lostRaces: 0, retries: 0, unavailable: 0, outcomeUnknown: 0 };
  private readonly counted = new WeakSet<DatabaseUnavailableError>();
  private readonly dialect: Dialect;

  /** @param ambientManager the option `entityManager` of the module */
  constructor(
    readonly dataSource: DataSource,
    private readonly ambientManager?: () => EntityManager | undefined,
  ) {
    this.dialect = dialectOf(dataSource);
  }

  /**
   * Returns the query runner of the caller, or undefined if the call uses a connection of its own. Each call asks once, at
   * its beginning.
   * @param otherOptions the options that this call takes beside `manager`
   * @throws TypeError for an unknown option, a wrong value, a manager that is not an EntityManager or belongs to
   *   another DataSource, a call inside of a hook without a manager, and a call inside of a statement of ours
   *   that writes
   */
  callerRunner(
    options: ShippingCallOptions,
    otherOptions: Readonly<Record<string, OptionRule>> = {},
  ): QueryRunner | undefined {
    checkCallOptions(options, otherOptions);
    const { manager = this.ambientManager?.() ?? this.dataSource.manager } = options;
    if (typeof Object(manager).getRepository !== 'function')
      throw new TypeError(
        'The option "manager", or the result of "entityManager", must be an EntityManager. If you have a QueryRunner, pass queryRunner.manager.',
      );
    if (dataSourceOf(manager) !== this.dataSource)
      throw new TypeError(
        "The manager belongs to another DataSource than ShippingModule. Pass a manager of the module's DataSource.",
      );
    const context = currentContext();
    if (context?.kind === 'statements')
      throw new TypeError(
        'A subscriber of TypeORM must not call ShippingModule during a statement of ShippingModule. Call our services only for events of your own entities.',
      );
    if (context && !manager.queryRunner)
      throw new TypeError(
        'A call inside beforeCommit needs the manager that beforeCommit gets. Pass it as { manager }. Without it, the call would wait for its own transaction for ever.',
      );
    return manager.queryRunner;
  }

  /**
   * Runs statements that read, on the primary.
   * @throws DatabaseUnavailableError
   */
  read<Result>(caller: QueryRunner | undefined, work: Work<Result>): Promise<Result> {
    if (caller) return this.join(caller, () => connectSoundly(caller).then(() => work(caller.manager)));
    // On SQLite, the one connection may be between the end of a transaction and its ROLLBACK. Elsewhere nobody else has
    // the connection, and a turn made lists from memory slower by a fifth (`npm run bench`).
    return this.onOwnConnection((runner) =>
      this.dialect.hasOneConnection
        ? stateOf(runner).turns.take(() => work(runner.manager))
        : work(runner.manager),
    );
  }

  /**
   * Runs work in which at most one statement writes. Without a manager of the caller, this statement commits by itself,
   * where this is possible.
   * @throws DatabaseUnavailableError, OutcomeUnknownError
   */
  async writeByOneStatement<Result>(
    caller: QueryRunner | undefined,
    work: Work<Result>,
    actionAfterCommit?: AfterStatements<Result>['actionAfterCommit'],
  ): Promise<Result> {
    // A subscriber of the host may write beside our statement. Both writes are then committed together, or neither is.
    if (caller || hostMayWrite(this.dataSource)) return this.write(caller, work, { actionAfterCommit });
    const result = await this.onOwnConnection(
      (runner) => runInContext(new CallContext(runner, 'statements'), () => work(runner.manager)),
      true,
    );
    actionAfterCommit?.(result)();
    return result;
  }

  /**
   * Runs statements that belong together in one transaction. If no transaction is open, it begins one: on the query
   * runner of the caller, if there is one.
   *
   * On a connection of its own, it tries again after a lost race. The repeats are READ COMMITTED, whatever your default
   * is: at a stricter level, PostgreSQL refuses work that first waits for a lock and then reads. SQLite keeps its
   * level.
   * @param work its `isRetry` tells whether an earlier try has lost a race against another writer
   * @throws DatabaseUnavailableError, OutcomeUnknownError, and what the hook throws
   */
  async write<Result>(
    caller: QueryRunner | undefined,
    work: (manager: EntityManager, isRetry: boolean) => Promise<Result>,
    afterStatements?: AfterStatements<Result>,
  ): Promise<Result> {
    if (caller && isInTransaction(caller))
      return this.join(caller, () => work(caller.manager, false), afterStatements);
    const begin: Attempt<Result> = (runner, isRetry) => {
      const { manager } = runner;
      const run = (): Promise<Result> => runCall(runner, () => work(manager, isRetry), afterStatements);
      return isRetry ? manager.transaction(this.dialect.levelOfRetries, run) : manager.transaction(run);
    };
    if (!caller) return this.onOwnConnection(begin);
    stateOf(caller).refuseLateCall(caller);
    // TypeORM would nest one of the transactions in the other one, which may be rolled back.
    if (busyRunners.has(caller))
      throw new TypeError(
        'The QueryRunner of the manager has no transaction, and another call uses it. Make one call at a time, or begin ' +
          'a transaction.',
      );
    busyRunners.add(caller);
    return this.runOutsideTransaction(begin, caller).finally(() => busyRunners.delete(caller));
  }

  /** Runs a call on the query runner of the caller. A lost race ends the caller's transaction, so nothing is repeated. */
  private async join<Result>(...call: Parameters<typeof runCall<Result>>): Promise<Result> {
    try {
      return await runCall(...call);
    } catch (error) {
      // The call around a hook fails with the error of a call in the hook, and counts it or tries again.
      if (currentContext()?.runner !== call[0]) this.count(error);
      throw error;
    }
  }

  /** Counts a race after which the call goes on in the same transaction. */
  countLostRace(): void {
    this.counters.lostRaces++;
  }

  /** Counts an error with which a call fails. */
  private count(error: unknown): void {
    const isUnavailable = error instanceof DatabaseUnavailableError;
    // All calls of a transaction that has failed throw the same error.
    if (isUnavailable && !this.counted.has(error)) {
      this.counted.add(error);
      this.counters.unavailable++;
      if (isLostRace(error)) this.counters.lostRaces++;
    }
    if (error instanceof OutcomeUnknownError) this.counters.outcomeUnknown++;
  }

  private onOwnConnection<Result>(work: Attempt<Result>, mayHaveCommitted?: boolean): Promise<Result> {
    const run = (): Promise<Result> => this.runOutsideTransaction(work, undefined, mayHaveCommitted);
    return this.dialect.hasOneConnection ? queueOf(this.dataSource).take('', run) : run();
  }

  /**
   * Runs work on a connection without an open transaction. The work may begin one. Without a caller, it gets a
   * connection of its own, and is tried again after a lost race.
   * @param mayHaveCommitted as in `toShippingError`
   */
  private async runOutsideTransaction<Result>(
    work: Attempt<Result>,
    caller?: QueryRunner,
    mayHaveCommitted?: boolean,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const runner = caller ?? this.dataSource.createQueryRunner('master');
      const state = stateOf(runner);
      const { commits } = state;
      try {
        await connectSoundly(runner);
        return await work(runner, attempt > 1);
      } catch (error) {
        // A subscriber of the host has failed after the COMMIT. The change is made, so it must not be repeated.
        if (state.commits > commits) throw error;
        const typed = typedOwnError(error, mayHaveCommitted);
        if (caller || attempt === maxTries || !isLostRace(typed)) {
          this.count(typed);
          throw typed;
        }
        this.counters.lostRaces++;
        this.counters.retries++;
      } finally {
        if (!caller) await runner.release();
      }
      if (attempt > 1) await delay(Math.random() * 20 * attempt);
    }
  }
}

/** Tells whether a subscriber of the host has a method that runs during an INSERT of ours. */
function hostMayWrite({ subscribers }: DataSource): boolean {
  return subscribers.some(
    (each) =>
      !(each instanceof TransactionSubscriber) &&
      (each.beforeQuery ?? each.afterQuery ?? each.beforeInsert ?? each.afterInsert),
  );
}
