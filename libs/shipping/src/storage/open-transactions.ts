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
  /** How many changes of ours are half-way: some of their statements were sent. */
  unfinished = 0;

  /**
   * @param isCurrent whether the snapshot of the outermost transaction shows a project as it was when its row was locked,
   *   before any change of ours; missing: its row was not locked yet
   */
  constructor(readonly isCurrent: Map<string, boolean> = new Map()) {}
}

/** A statement of TypeORM's. */
interface QueryEvent {
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
const notAwaited =
  'A call of nestjs-shipping was not done when its transaction was to be committed: await the call first.';
const end = /^(COMMIT|ROLLBACK|(RELEASE|ROLLBACK TO) SAVEPOINT typeorm_\d+)$/;

/** The transactions on the connections of a DataSource, known by the statements that TypeORM sends. */
export class OpenTransactions implements EntitySubscriberInterface {
  /** Outermost first. */
  private readonly open = new WeakMap<QueryRunner, Transaction[]>();

  /** Called when a statement of TypeORM's has failed in a transaction. */
  afterFailure?: (runner: QueryRunner, error: unknown) => Promise<void> | undefined;
  /** Called when an outermost transaction has ended, before the host can begin another one. */
  readonly ended = new Set<() => void>();

  constructor(private readonly dataSource: DataSource) {
    dataSource.subscribers.push(this);
  }

  /** @returns the innermost open transaction, for a call that begins now; undefined when there is none */
  join(runner: QueryRunner): Transaction | undefined {
    const { subscribers } = this.dataSource;
    const open = this.openOn(runner);
    if (!subscribers.includes(this)) {
      // `initialize()` replaced the list, and this transaction began after that.
      subscribers.push(this);
      if (runner.isTransactionActive) open.push(new Transaction());
    }
    for (const transaction of open) transaction.isJoined = true;
    return open.findLast(({ hasEnded }) => !hasEnded) ?? open[0];
  }

  /** Runs `action` after the outermost COMMIT, or now if no transaction is open. A rollback drops it. */
  afterCommit(runner: QueryRunner | undefined, action: () => void): void {
    const innermost = runner && this.openOn(runner).at(-1);
    if (innermost) innermost.actions.push(action);
    else action();
  }

  /**
   * The server has rolled back all transactions on the connection: none of them can be committed.
   * @returns the statements that open them again, if a call of ours is part of them
   */
  failAll(runner: QueryRunner): string[] {
    const open = this.openOn(runner);
    for (const transaction of open) transaction.hasFailed = true;
    if (!open.some(({ isJoined }) => isJoined)) return [];
    const savepoints = open.slice(1).map((_, index) => `SAVEPOINT typeorm_${index + 1}`);
    return ['ROLLBACK', 'BEGIN', ...savepoints];
  }

  /** @throws Error so that TypeORM rolls back, and the host hears of it */
  beforeTransactionCommit({ queryRunner }: { queryRunner: QueryRunner }): void {
    const { hasFailed, isJoined } = this.openOn(queryRunner).at(-1) ?? new Transaction();
    if (hasFailed && isJoined) throw new Error(rolledBack);
  }

  /**
   * The end is noted no earlier: before it is sent, a subscriber of the host's may still call us.
   * @throws Error so that half of a change is not committed
   */
  beforeQuery({ queryRunner, query }: QueryEvent): void {
    const open = this.openOn(queryRunner);
    const innermost = open.at(-1);
    if (!innermost || !end.test(query)) return;
    const isUndone = query.startsWith('ROLLBACK');
    if (!isUndone && innermost.unfinished > 0) throw new Error(notAwaited);
    innermost.hasEnded = true;
    // Perhaps the savepoint has some of their statements.
    if (isUndone) for (const outer of open.slice(0, -1)) outer.hasFailed ||= outer.unfinished > 0;
  }

  /** @throws Error where PostgreSQL answered COMMIT with a rollback, which TypeORM takes for a commit */
  afterQuery({ queryRunner, query, success, error, rawResults }: QueryEvent): Promise<void> | undefined {
    const open = this.openOn(queryRunner);
    if (!success) return open.length > 0 ? this.afterFailure?.(queryRunner, error) : undefined;
    if (begin.test(query)) open.push(new Transaction(open.at(-1)?.isCurrent));
    if (!end.test(query)) return;
    const { actions, isJoined, isCurrent } = open.pop() ?? new Transaction();
    if (open.length === 0) for (const tell of this.ended) tell();
    const isUndone = query.startsWith('ROLLBACK') || Object(rawResults).command === 'ROLLBACK';
    if (query === 'COMMIT' && isUndone && isJoined) throw new Error(rolledBack);
    if (isUndone) {
      // The locks may be gone, but some changes may be left: it cannot be seen any more.
      for (const projectId of isCurrent.keys()) isCurrent.set(projectId, false);
      return;
    }
    if (query === 'COMMIT') for (const action of actions) action();
    else {
      if (open.length === 0) open.push(new Transaction());
      open.at(-1)?.actions.push(...actions);
    }
  }

  private openOn(runner: QueryRunner): Transaction[] {
    const open = this.open.get(runner) ?? [];
    this.open.set(runner, open);
    return open;
  }
}
