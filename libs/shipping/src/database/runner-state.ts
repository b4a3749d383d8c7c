import { type QueryRunner } from 'typeorm';
import { FailedTransactionError } from './database.errors.js';
import { Turns } from './turns.js';

/** A transaction or savepoint that TypeORM has begun. */
export class OpenTransaction {
  /** Functions that run after the outermost COMMIT. */
  readonly actions: (() => void)[] = [];
  /** The calls of ours in this transaction that have not finished. Its COMMIT or ROLLBACK waits for them. */
  readonly calls = new Set<Promise<unknown>>();
  /** The turns of the hooks of `beforeCommit`. Each of them may begin a savepoint, so they run one after another. */
  readonly hookTurns = new Turns();
  /** Whether a call of ours was made in this transaction. */
  isJoined = false;
  private ownFailure?: { readonly error: unknown };
  isEnding = false;
  /** Resolves `ended`. */
  end!: () => void;
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  constructor(private readonly outer: OpenTransaction | undefined) {}

  /**
   * The error of the first call that failed, here or in a transaction around this one. From then on, this transaction
   * can only be rolled back.
   */
  get failure(): { readonly error: unknown } | undefined {
    return this.ownFailure ?? this.outer?.failure;
  }

  fail(error: unknown): void {
    this.ownFailure ??= { error };
  }
}

/** The state of one query runner. After a call of ours has failed, its transaction refuses every statement. */
export class RunnerState {
  /** The transaction and its savepoints, outermost first. */
  readonly open: OpenTransaction[] = [];
  /** Calls on one connection take turns. A transaction begins between two turns. */
  readonly turns = new Turns();
  /** Counts the transactions that are committed, including those after which a subscriber of the host has failed. */
  commits = 0;
  /**
   * True after a transaction has ended without the knowledge of the host. The connection broke, or a nested transaction
   * could not begin on PostgreSQL, and TypeORM then rolled back the outer one. Another nested transaction would now
   * begin as an outermost one, and each statement would commit by itself. So this query runner sends nothing again but a
   * ROLLBACK.
   */
  hasLostTransaction = false;

  get innermost(): OpenTransaction | undefined {
    return this.open.at(-1);
  }

  begin(): void {
    this.open.push(new OpenTransaction(this.innermost));
  }

  markEnding(): void {
    if (this.innermost) this.innermost.isEnding = true;
  }

  /**
   * Removes the innermost transaction. If the outermost one has ended, it removes all, with nested ones that failed to
   * begin.
   */
  removeEnded({ isTransactionActive }: QueryRunner): OpenTransaction[] {
    return isTransactionActive ? this.remove(-1) : this.removeAll();
  }

  /**
   * Removes a savepoint to which TypeORM could not roll back. The database has ended the transaction around it, or will
   * refuse its statements.
   */
  removeLostSavepoint(): void {
    if (this.open.length < 2) return;
    const [lost] = this.remove(-1);
    if (lost?.failure) this.innermost?.fail(lost.failure.error);
  }

  /** Removes all but the innermost transaction. They never began, because a subscriber of the host failed. */
  removeNeverBegun(): void {
    this.remove(0, this.open.length - 1);
  }

  removeAll(): OpenTransaction[] {
    return this.remove(0);
  }

  private remove(start: number, count = this.open.length): OpenTransaction[] {
    const removed = this.open.splice(start, count);
    for (const each of removed) each.end();
    return removed;
  }

  /** @throws Error after a call has failed */
  refuseFailedTransaction(): void {
    const failure = this.innermost?.failure;
    if (failure) throw new FailedTransactionError(failure.error);
  }
}
