import { type DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import { CallContext } from './call-context.js';
import { DatabaseUnavailableError } from './database.errors.js';
import { isMysql } from './engines/engine.js';
import { onePerDataSource } from './one-per-data-source.js';

/** A transaction or savepoint that TypeORM has open. */
interface Transaction {
  /** To be run when its changes are committed. */
  actions: (() => void)[];
  /** A call of ours is part of it. */
  isJoined?: boolean;
  /** It must not be committed: part of a change is missing, or the server has rolled it back. */
  hasFailed?: boolean;
  hasEnded?: boolean;
}

/** Where work runs one after another: a connection, or work on it that calls us again. */
class Turn {
  /** Settles when the last work is done. */
  last: Promise<unknown> = Promise.resolve();
  isOver = false;

  /** @param joined the transaction that the work is part of */
  constructor(
    readonly runner: QueryRunner,
    readonly joined?: Transaction,
  ) {}
}

interface Event {
  queryRunner: QueryRunner;
}

// The texts that TypeORM sends.
const end = /^(COMMIT|ROLLBACK|RELEASE SAVEPOINT typeorm_\d+)$/;
const tooLate = 'The transaction had ended before the call was done: await the call first.';
const rolledBack = 'The transaction was rolled back: a statement in it had failed.';

/** Hears of TypeORM's transactions on a DataSource, and lets our calls on one connection run one after another. */
export class Transactions implements EntitySubscriberInterface {
  /** Outermost first. */
  private readonly open = new WeakMap<QueryRunner, Transaction[]>();
  private readonly turns = new WeakMap<QueryRunner, Turn>();
  private readonly inside = new CallContext<Turn>();

  /** Called by each `initialize()`, which replaces the list of subscribers. */
  subscribeTo({ subscribers }: DataSource): void {
    if (!subscribers.includes(this)) subscribers.push(this);
  }

  /** Runs `action` after the outermost COMMIT, or now if no transaction is open. A rollback drops it. */
  afterCommit(runner: QueryRunner, action: () => void): void {
    const innermost = this.on(runner).at(-1);
    if (innermost) innermost.actions.push(action);
    else action();
  }

  /** A call of ours is part of the transaction that is open: if it is rolled back, its COMMIT must fail. */
  join(runner: QueryRunner): void {
    for (const transaction of this.on(runner)) transaction.isJoined = true;
  }

  /** From now on, TypeORM cannot commit the transaction that is open. */
  fail(runner: QueryRunner): void {
    for (const innermost of this.on(runner).slice(-1)) innermost.hasFailed = true;
  }

  /** After the database has ended the transaction: what the host sends next must not commit by itself. */
  async beginAgain(runner: QueryRunner): Promise<void> {
    const open = this.on(runner);
    for (const transaction of open) transaction.hasFailed = true;
    // A trigger of the host may give the error of a deadlock, and then the transaction has not ended.
    if (isMysql(runner.manager)) await runner.query('ROLLBACK');
    // It is ours, and the host's still has to come.
    for (const transaction of open) transaction.hasEnded = false;
    await runner.query('BEGIN');
    // TypeORM will roll back to them.
    for (let depth = 1; depth < open.length; depth++) await runner.query(`SAVEPOINT typeorm_${depth}`);
  }

  /**
   * Runs work of several statements after the work that was given before. No transaction begins or ends in between. Work
   * that is given inside of other work is part of it.
   * @param isOwn the work is part of no transaction that is open now
   * @throws DatabaseUnavailableError when the transaction has ended by then: a statement would commit by itself
   */
  inTurn<Result>(runner: QueryRunner, work: () => Promise<Result>, isOwn = false): Promise<Result> {
    const open = runner.isTransactionActive && !isOwn ? this.on(runner) : [];
    if (!isOwn) this.join(runner);
    const joined = open.findLast(({ hasEnded }) => !hasEnded) ?? open[0];
    const outer = this.turnOn(runner);
    const result = outer.last.then(async () => {
      if (joined?.hasFailed) throw ended('A call in this transaction had failed: roll it back.');
      if (joined?.hasEnded || runner.isReleased) throw ended(tooLate);
      const turn = new Turn(runner, joined);
      try {
        return await this.inside.run(turn, work);
      } finally {
        await turn.last;
        turn.isOver = true;
      }
    });
    outer.last = result.catch(() => undefined);
    return result;
  }

  /** Whether this code is part of work on a connection that runs. */
  isInside(): boolean {
    return this.inside.get()?.isOver === false;
  }

  async beforeTransactionStart({ queryRunner }: Event): Promise<void> {
    await this.quiet(queryRunner);
  }

  /** @throws Error so that TypeORM rolls back, and the host hears of it */
  async beforeTransactionCommit({ queryRunner }: Event): Promise<void> {
    await this.quiet(queryRunner);
    if (this.on(queryRunner).at(-1)?.hasFailed) throw new Error(rolledBack);
  }

  async beforeTransactionRollback({ queryRunner }: Event): Promise<void> {
    await this.quiet(queryRunner);
  }

  /**
   * The end is noted no earlier: before it is sent, a subscriber of the host's may still call us.
   * @throws Error as above: such a call may have failed; DatabaseUnavailableError for a statement of a call that came
   *   while the end was on its way
   */
  beforeQuery({ queryRunner, query }: Event & { query: string }): void {
    const turn = this.inside.get();
    // A read does no harm, and a call that has sent its write in time may need one.
    const isLate = turn?.runner === queryRunner && turn.joined?.hasEnded && !/^SELECT\b/.test(query);
    if (isLate) throw ended(tooLate);
    const ending = end.test(query) && this.on(queryRunner).at(-1);
    if (!ending) return;
    if (ending.hasFailed && query !== 'ROLLBACK') throw new Error(rolledBack);
    ending.hasEnded = true;
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
    if (isUndone && this.on(queryRunner).some(({ isJoined }) => isJoined)) throw new Error(rolledBack);
  }

  /** Waits for all work, and for work that was given meanwhile: a caller may go on as soon as a call has its answer. */
  private async quiet(runner: QueryRunner): Promise<void> {
    const turn = this.turnOn(runner);
    for (let last; last !== turn.last;) {
      last = turn.last;
      await last;
    }
  }

  /** That of the work in which this code runs, or that of the connection. */
  private turnOn(runner: QueryRunner): Turn {
    const inside = this.inside.get();
    if (inside?.runner === runner && !inside.isOver) return inside;
    const turn = this.turns.get(runner) ?? new Turn(runner);
    this.turns.set(runner, turn);
    return turn;
  }

  private on(runner: QueryRunner): Transaction[] {
    const open = this.open.get(runner) ?? [];
    this.open.set(runner, open);
    return open;
  }
}

export const transactionsOf = onePerDataSource(() => new Transactions());

function ended(remedy: string): DatabaseUnavailableError {
  return new DatabaseUnavailableError(new Error(remedy));
}
