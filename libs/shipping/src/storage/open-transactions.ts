import { type DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';

/** A transaction or savepoint that TypeORM has open on a connection. */
export class Transaction {
  /** To be run when its changes are committed. */
  readonly actions: (() => void)[] = [];
  /** Its end is being sent, or was sent. */
  hasEnded = false;
  /** One of our calls joined it. */
  isJoined = false;
  /** It must not be committed: the server has rolled it back, or part of a change is missing. */
  hasFailed = false;
}

/** A statement of TypeORM's. */
export interface QueryEvent {
  queryRunner: QueryRunner;
  query: string;
  success?: boolean;
  error?: unknown;
  /** The result of the driver. That of `pg` says in `command` what PostgreSQL did. */
  rawResults?: unknown;
}

// The texts that TypeORM sends. A savepoint of the host's own has another name.
const begin = /^((START|BEGIN) TRANSACTION|SAVEPOINT typeorm_\d+)$/;
const rolledBack = 'The transaction was rolled back: a statement in it had failed.';
const end = /^(COMMIT|ROLLBACK|(RELEASE|ROLLBACK TO) SAVEPOINT typeorm_\d+)$/;

/** The transactions on the connections of a DataSource, known by the statements that TypeORM sends. */
export class OpenTransactions implements EntitySubscriberInterface {
  /** Outermost first. */
  private readonly open = new WeakMap<QueryRunner, Transaction[]>();

  /** Set by an engine that has to hear of TypeORM's statements. */
  onAnswer?: (event: QueryEvent) => Promise<void> | undefined;

  /** Settles when the last work on a connection is done. */
  private readonly turns = new WeakMap<QueryRunner, Promise<unknown>>();

  /** Called by each `initialize()`, which replaces the list of subscribers. */
  subscribeTo({ subscribers }: DataSource): void {
    if (!subscribers.includes(this)) subscribers.push(this);
  }

  /** @returns the innermost open transaction, for a call that begins now; undefined when there is none */
  join(runner: QueryRunner): Transaction | undefined {
    const open = this.openOn(runner);
    for (const transaction of open) transaction.isJoined = true;
    return open.findLast(({ hasEnded }) => !hasEnded) ?? open[0];
  }

  /** Runs `action` after the outermost COMMIT, or now if no transaction is open. A rollback drops it. */
  afterCommit(runner: QueryRunner | undefined, action: () => void): void {
    const innermost = runner && this.openOn(runner).at(-1);
    if (innermost) innermost.actions.push(action);
    else action();
  }

  /** A change inside a transaction failed half-way. PostgreSQL refuses to commit such a transaction; others would. */
  fail(runner: QueryRunner): void {
    const innermost = this.openOn(runner).at(-1);
    if (innermost) innermost.hasFailed = true;
  }

  /**
   * The server has rolled back all that was open on the connection.
   * @param isShared all use this connection, so its state concerns us also if no call of ours is part of the transaction
   * @returns the statements that open it again, so that nothing commits by itself; none if it does not concern us
   */
  failAll(runner: QueryRunner, isShared = false): string[] {
    const open = this.openOn(runner);
    if (!isShared && !open.some(({ isJoined }) => isJoined)) return [];
    for (const transaction of open) transaction.hasFailed = true;
    const savepoints = open.slice(1).map((_, index) => `SAVEPOINT typeorm_${index + 1}`);
    return ['BEGIN', ...savepoints];
  }

  /** Runs work of several statements after the work that was given before. */
  inTurn<Result>(runner: QueryRunner, work: () => Promise<Result>): Promise<Result> {
    const result = this.turnOf(runner).then(work);
    this.turns.set(
      runner,
      result.catch(() => undefined),
    );
    return result;
  }

  /** A savepoint begins, and a transaction ends, between two works and not inside of one. */
  async beforeTransactionStart({ queryRunner }: { queryRunner: QueryRunner }): Promise<void> {
    await this.turnOf(queryRunner);
  }

  async beforeTransactionRollback({ queryRunner }: { queryRunner: QueryRunner }): Promise<void> {
    await this.turnOf(queryRunner);
  }

  /** @throws Error so that TypeORM rolls back, and the host hears of it */
  async beforeTransactionCommit({ queryRunner }: { queryRunner: QueryRunner }): Promise<void> {
    await this.turnOf(queryRunner);
    if (this.openOn(queryRunner).at(-1)?.hasFailed) throw new Error(rolledBack);
  }

  /**
   * The end is noted no earlier: before it is sent, a subscriber of the host's may still call us.
   * @throws Error so that TypeORM rolls back, and the host hears of it
   */
  beforeQuery({ queryRunner, query }: QueryEvent): void {
    const innermost = end.test(query) && this.openOn(queryRunner).at(-1);
    if (!innermost) return;
    // A call may have failed after beforeTransactionCommit(): that of a subscriber of the host's. In a transaction of the
    // host's own statements, a savepoint has undone what failed.
    const isCommit = queryRunner.isTransactionActive && !query.startsWith('ROLLBACK');
    if (innermost.hasFailed && isCommit) throw new Error(rolledBack);
    innermost.hasEnded = true;
  }

  /** @throws Error where PostgreSQL answered COMMIT with a rollback, which TypeORM takes for a commit */
  afterQuery(event: QueryEvent): Promise<void> | undefined {
    const { queryRunner, query, success, rawResults } = event;
    const heard = this.onAnswer?.(event);
    if (!success) return heard;
    const open = this.openOn(queryRunner);
    if (begin.test(query)) open.push(new Transaction());
    if (!end.test(query)) return heard;
    const { actions, isJoined } = open.pop() ?? new Transaction();
    const isUndone = query.startsWith('ROLLBACK') || Object(rawResults).command === 'ROLLBACK';
    if (query === 'COMMIT' && isUndone && isJoined) throw new Error(rolledBack);
    if (isUndone) return heard;
    if (query === 'COMMIT') for (const action of actions) action();
    else {
      if (open.length === 0) open.push(new Transaction());
      open.at(-1)?.actions.push(...actions);
    }
    return heard;
  }

  private turnOf(runner: QueryRunner): Promise<unknown> {
    return this.turns.get(runner) ?? Promise.resolve();
  }

  private openOn(runner: QueryRunner): Transaction[] {
    const open = this.open.get(runner) ?? [];
    this.open.set(runner, open);
    return open;
  }
}
