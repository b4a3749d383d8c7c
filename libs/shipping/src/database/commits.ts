import { type DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import { DatabaseUnavailableError } from './database.errors.js';
import { onePerDataSource } from './one-per-data-source.js';

/** A transaction or savepoint that TypeORM has open. */
interface Transaction {
  /** To be run when its changes are committed. */
  actions: (() => void)[];
  /** A call of ours is part of it. */
  isOurs?: boolean;
  /** Part of a change is missing, or the server has rolled it back: it can only be rolled back. */
  hasFailed?: boolean;
  hasEnded?: boolean;
}

interface Event {
  queryRunner: QueryRunner;
}

const end = /^(COMMIT|ROLLBACK|RELEASE SAVEPOINT|ROLLBACK TO SAVEPOINT)\b/;
const rollback = /^ROLLBACK\b/;

/**
 * Hears of TypeORM's transactions on a DataSource. Calls of ours on one connection run one after another, and no
 * transaction begins or ends in the middle of one.
 */
export class Commits implements EntitySubscriberInterface {
  /** Outermost first. */
  private readonly open = new WeakMap<QueryRunner, Transaction[]>();
  private readonly last = new WeakMap<QueryRunner, Promise<unknown>>();

  /** `initialize()` replaces the list of subscribers. */
  subscribeTo({ subscribers }: DataSource): void {
    if (!subscribers.includes(this)) subscribers.push(this);
  }

  /** Runs `action` after the outermost COMMIT, or now if no transaction is open. A rollback drops it. */
  after(runner: QueryRunner, action: () => void): void {
    const innermost = this.on(runner).at(-1);
    if (innermost) innermost.actions.push(action);
    else action();
  }

  /** From now on, the transaction that is open can only be rolled back, as PostgreSQL has it after an error. */
  refuse(runner: QueryRunner): void {
    for (const innermost of this.on(runner).slice(-1)) innermost.hasFailed = true;
  }

  /**
   * Runs a call after the calls that were given before.
   * @throws DatabaseUnavailableError when its transaction has ended by then: it would commit by itself
   */
  inTurn<Result>(runner: QueryRunner, call: () => Promise<Result>): Promise<Result> {
    const joined = runner.isTransactionActive ? this.on(runner).at(-1) : undefined;
    for (const transaction of this.on(runner)) transaction.isOurs = true;
    const result = (this.last.get(runner) ?? Promise.resolve()).then(() => {
      if (!joined?.hasEnded && !runner.isReleased) return call();
      throw new DatabaseUnavailableError(
        new Error('The transaction had ended before the call was done: await it first.'),
      );
    });
    this.last.set(
      runner,
      result.catch(() => undefined),
    );
    return result;
  }

  async beforeTransactionStart({ queryRunner }: Event): Promise<void> {
    await this.quiet(queryRunner);
  }

  /** @throws Error so that TypeORM rolls back, and the host hears of it */
  async beforeTransactionCommit({ queryRunner }: Event): Promise<void> {
    await this.quiet(queryRunner);
    if (this.on(queryRunner).at(-1)?.hasFailed) throw rolledBack();
  }

  async beforeTransactionRollback({ queryRunner }: Event): Promise<void> {
    await this.quiet(queryRunner);
  }

  /** @throws Error in a transaction that has failed. On MySQL, a statement would commit by itself after a deadlock */
  beforeQuery({ queryRunner, query }: Event & { query: string }): void {
    const innermost = this.on(queryRunner).at(-1);
    if (innermost?.hasFailed && !rollback.test(query)) throw rolledBack();
    if (innermost && end.test(query)) innermost.hasEnded = true;
  }

  afterTransactionStart({ queryRunner }: Event): void {
    this.on(queryRunner).push({ actions: [] });
  }

  afterTransactionCommit({ queryRunner }: Event): void {
    const open = this.on(queryRunner);
    const actions = open.pop()?.actions ?? [];
    const outer = open.at(-1);
    if (outer) outer.actions.push(...actions);
    else for (const action of actions) action();
  }

  afterTransactionRollback({ queryRunner }: Event): void {
    const undone = this.on(queryRunner).pop();
    if (undone) undone.hasEnded = true;
  }

  /** @throws Error where PostgreSQL answered COMMIT with a rollback, which TypeORM takes for a commit */
  afterQuery({ queryRunner, query, rawResults }: Event & { query: string; rawResults?: unknown }): void {
    const isUndone = query === 'COMMIT' && Object(rawResults).command === 'ROLLBACK';
    if (isUndone && this.on(queryRunner).some(({ isOurs }) => isOurs)) throw rolledBack();
  }

  /** Waits for all calls, and for those that were given meanwhile: a caller may go on as soon as a call has its answer. */
  private async quiet(runner: QueryRunner): Promise<void> {
    for (let last; last !== this.last.get(runner);) {
      last = this.last.get(runner);
      await last;
    }
  }

  private on(runner: QueryRunner): Transaction[] {
    const open = this.open.get(runner) ?? [];
    this.open.set(runner, open);
    return open;
  }
}

export const commitsOf = onePerDataSource(() => new Commits());

function rolledBack(): Error {
  return new Error('The transaction was rolled back: a statement in it had failed.');
}
