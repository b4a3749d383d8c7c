import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { ShippingException } from '../problems/shipping.exception.js';
import { type Commits, commitsOf } from './commits.js';
import { DatabaseUnavailableError } from './database.errors.js';
import { connectionError, contentionOf } from './engines/connection-errors.js';
import { isSqlite } from './engines/engine.js';
import { onePerDataSource } from './one-per-data-source.js';

/** The last argument of every service method. */
export interface CallOptions {
  /** Joins this manager's transaction: nothing is committed, retried or visible to others on its own. */
  manager?: EntityManager;
}

type Work<Result> = (manager: EntityManager) => Promise<Result>;

const maxTries = 3;

/** Set while a hook of the host runs inside of a transaction of ours. */
const hooksOn = onePerDataSource(() => new AsyncLocalStorage<{ isOver: boolean }>());
/** The last work on the one connection of SQLite, on which two transactions would become one. */
const onlyConnections = new WeakMap<DataSource, Promise<unknown>>();

/** Runs work on the database: in the caller's transaction, or on a connection of its own to the primary. */
export class Database {
  private readonly commits: Commits;

  /** @param ambientManager the option `entityManager` of the module */
  constructor(
    readonly dataSource: DataSource,
    private readonly ambientManager?: () => EntityManager | undefined,
  ) {
    this.commits = commitsOf(dataSource);
    this.observe();
  }

  /** Hears of transactions. `initialize()` replaces the list of subscribers, so a late one needs it again. */
  observe(): void {
    this.commits.subscribeTo(this.dataSource);
  }

  /**
   * The manager of the caller's transaction; undefined: there is none. Ask once for each call, at its beginning.
   * @param more the options that this call takes beside `manager`
   * @throws TypeError for a manager of another DataSource, for an unknown option, and inside of a hook without a manager
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
    if (manager.queryRunner) return manager;
    // It would wait for the change that it is part of.
    if (hooksOn(this.dataSource).getStore()?.isOver === false)
      throw new TypeError(
        'A call inside of onChange would wait for the change that it is part of: pass the manager that onChange was given.',
      );
    return undefined;
  }

  /** @throws DatabaseUnavailableError */
  read<Result>(joined: EntityManager | undefined, work: Work<Result>): Promise<Result> {
    if (joined) return this.inTurn(joined, work);
    return this.alone((runner) => work(runner.manager), false);
  }

  /**
   * For one statement that writes: outside of the caller's transaction it commits by itself.
   * @throws DatabaseUnavailableError, OutcomeUnknownError
   */
  append<Result>(joined: EntityManager | undefined, work: Work<Result>): Promise<Result> {
    if (joined) return this.write(joined, work);
    return this.alone((runner) => work(runner.manager), true);
  }

  /**
   * For statements that belong together: outside of the caller's transaction, in one of their own.
   * @param hook runs code of the host afterwards, in the same transaction
   * @throws DatabaseUnavailableError, OutcomeUnknownError
   */
  write<Result>(
    joined: EntityManager | undefined,
    work: Work<Result>,
    hook?: (result: Result, manager: EntityManager) => Promise<void>,
  ): Promise<Result> {
    if (joined && runnerOf(joined).isTransactionActive) return this.inTransaction(joined, work, hook);
    const inOneOfItsOwn = (manager: EntityManager): Promise<Result> =>
      manager.transaction((begun) => this.inTransaction(begun, work, hook));
    return joined
      ? inOneOfItsOwn(joined).catch(throwTyped)
      : this.alone(({ manager }) => inOneOfItsOwn(manager));
  }

  /** Runs `action` after the outermost COMMIT. */
  afterCommit({ queryRunner }: EntityManager, action: () => void): void {
    if (queryRunner) this.commits.after(queryRunner, action);
    else action();
  }

  /** The caller's transaction has a change by half: TypeORM can only roll it back. */
  refuse(manager: EntityManager): void {
    this.commits.refuse(runnerOf(manager));
  }

  /** What has failed by half must not be committed by a caller who catches the error. */
  private async inTransaction<Result>(
    manager: EntityManager,
    work: Work<Result>,
    hook?: (result: Result, manager: EntityManager) => Promise<void>,
  ): Promise<Result> {
    const result = await this.inTurn(manager, work);
    if (!hook) return result;
    // After the turn of the work: the hook may call us with the manager.
    const running = { isOver: false };
    try {
      await hooksOn(this.dataSource).run(running, () => hook(result, manager));
    } catch (error) {
      this.refuse(manager);
      throw connectionError(error);
    } finally {
      running.isOver = true;
    }
    return result;
  }

  private inTurn<Result>(manager: EntityManager, work: Work<Result>): Promise<Result> {
    return this.commits.inTurn(runnerOf(manager), async () => {
      try {
        return await work(manager);
      } catch (error) {
        const typed = connectionError(error);
        const isRefusal = typed instanceof ShippingException && !(typed instanceof DatabaseUnavailableError);
        if (!isRefusal) this.refuse(manager);
        throw typed;
      }
    });
  }

  /** @param mayHaveCommitted as in `connectionError` */
  private async alone<Result>(
    work: (runner: QueryRunner) => Promise<Result>,
    mayHaveCommitted?: boolean,
  ): Promise<Result> {
    if (isSqlite(this.dataSource.manager))
      return this.onOnlyConnection(() => this.tried(work, mayHaveCommitted));
    return this.tried(work, mayHaveCommitted);
  }

  private onOnlyConnection<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = (onlyConnections.get(this.dataSource) ?? Promise.resolve()).then(work);
    onlyConnections.set(
      this.dataSource,
      result.catch(() => undefined),
    );
    return result;
  }

  private async tried<Result>(
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
        if (attempt === maxTries || contentionOf(error) !== 'race')
          throw connectionError(error, mayHaveCommitted);
      } finally {
        await runner.release();
      }
      await delay(Math.random() * 20 * attempt);
    }
  }
}

function throwTyped(error: unknown): never {
  throw connectionError(error);
}

function runnerOf({ queryRunner }: EntityManager): QueryRunner {
  if (!queryRunner) throw new TypeError('A joined manager has a query runner.');
  return queryRunner;
}
