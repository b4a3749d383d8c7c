import { type QueryRunner } from 'typeorm';
import { toShippingError } from './driver-errors.js';
import { dataSourceOf } from './data-source-of.js';
import {
  DatabaseUnavailableError,
  EndedTransactionError,
  FailedTransactionError,
} from './database.errors.js';
import { dialectOf } from './dialects/dialects.js';
import { StatementOrder } from './statement-order.js';
import { Turns } from './turns.js';

/** A transaction that is open on the server, or a savepoint in it. */
export class OpenTransaction {
  /** These functions are called after the outermost COMMIT. */
  readonly afterCommit: (() => void)[] = [];
  /** Whether TypeORM is about to commit it or to roll it back. */
  ending?: 'commit' | 'rollback';
  private ownFailure?: { readonly error: unknown };

  constructor(private readonly outer?: OpenTransaction) {}

  /** The first error, here or in a transaction around this one, after which it can only be rolled back. */
  get failure(): { readonly error: unknown } | undefined {
    return this.outer?.failure ?? this.ownFailure;
  }

  fail(error: unknown): void {
    this.ownFailure ??= { error };
  }
}

/** The first words of a statement with which TypeORM begins or ends a transaction or a savepoint. */
export type TransactionStatement =
  'START' | 'BEGIN' | 'SAVEPOINT' | 'RELEASE' | 'ROLLBACK TO' | 'COMMIT' | 'ROLLBACK';

/** TypeORM reports this about a statement after the response. */
export interface Outcome {
  success?: boolean;
  rawResults?: unknown;
  error?: unknown;
}

/**
 * These statements are allowed after a failure. ROLLBACK ends the transaction. SAVEPOINT must be allowed, because
 * TypeORM reacts to a failed SAVEPOINT with a ROLLBACK of the outer transaction.
 */
const passesAfterFailure = /^(ROLLBACK|SAVEPOINT)\b/;

const rolledBackMessage =
  'The COMMIT rolled the transaction back, because a statement in it had failed. Do not ignore the error of that ' +
  'statement, or run the statement in a savepoint.';

/** The reasons of an EndedTransactionError. */
const subscriberFailed = 'A subscriber of TypeORM failed when this transaction, or a nested one, ended.';
const beginOrConnectionFailed = 'A nested transaction could not begin, or the connection was lost.';

/**
 * The transaction of one query runner, with its savepoints, as the server has confirmed them:
 * - None is open: `open` is empty. A call reads alone, or begins a transaction of its own.
 * - Open, from the response to its beginning. A call joins the innermost one.
 * - Ending: `ending` is set, until the response to its end. A call waits, and then joins the transaction around it. If
 *   it is the outermost one, the call is refused.
 * - Failed: `failure` is set, until it is rolled back. Calls throw this error, and statements a FailedTransactionError.
 * - Lost: `endedBy` is set for ever. The transaction, or a savepoint in it, has ended, and the host does not know it.
 *   TypeORM would then begin a nested one as an outermost one, or commit the outermost one early, and statements would
 *   commit by themselves. So only rollbacks are sent.
 */
export class RunnerState {
  /** Our calls, and the beginnings and ends of transactions, take turns. */
  readonly turns = new Turns();
  readonly order = new StatementOrder();
  /** Counts the transactions that are committed, including those after which a subscriber of the host has failed. */
  commits = 0;
  /** Whether a statement that begins or ends a transaction is on its way to the server and back. */
  isSending = false;
  /** Outermost first. */
  private readonly open: OpenTransaction[] = [];
  /** Whether a call of ours was made in the transaction. */
  private isJoined = false;
  private onResponse = (): void => undefined;
  private savepointError: unknown;
  private endedBy?: Error;

  /** @param isShared whether all callers share the query runner, as on SQLite. Then it can never be given up. */
  constructor(readonly isShared: boolean) {}

  get outermost(): OpenTransaction | undefined {
    return this.open[0];
  }

  get innermost(): OpenTransaction | undefined {
    return this.open.at(-1);
  }

  /** Whether a transaction is open on the server, or is about to begin or to end there. */
  get mayBeOpen(): boolean {
    return this.open.length > 0 || this.isSending;
  }

  /** @throws EndedTransactionError, or the error that has ended the transaction, when a call comes too late for it */
  refuseLateCall({ isReleased }: QueryRunner): void {
    if (this.endedBy) throw this.endedBy;
    // If TypeORM has released a query runner with an open transaction, the connection broke. The next statement fails.
    if (this.open[0]?.ending || (isReleased && this.open.length === 0)) throw new EndedTransactionError();
  }

  /**
   * A call of ours runs in the innermost transaction.
   * @throws the error after which it can only be rolled back; EndedTransactionError when it has ended or is about to
   */
  join({ isReleased }: QueryRunner): OpenTransaction {
    const { innermost } = this;
    this.isJoined = true;
    if (innermost?.failure) throw innermost.failure.error;
    // TypeORM has sent a statement that begins or ends the transaction, and has no response yet, or a subscriber waits.
    const isChanging = this.isSending || innermost?.ending !== undefined;
    // If the connection broke, the next statement says so.
    if (!innermost || (isChanging && !isReleased)) throw new EndedTransactionError();
    return innermost;
  }

  /** @throws Error for a statement that would commit by itself, or that belongs to a transaction that has failed */
  refuseStatement(query: string): void {
    if (this.endedBy && !query.startsWith('ROLLBACK')) throw this.endedBy;
    if (!passesAfterFailure.test(query)) this.refuseFailedTransaction();
    // The savepoint has ended, and TypeORM releases it in place of the COMMIT.
    if (this.isJoined && this.open.length === 1 && query.startsWith('RELEASE SAVEPOINT typeorm_'))
      throw new EndedTransactionError(undefined, subscriberFailed);
  }

  /** @throws FailedTransactionError, but only if a call of ours was made in the transaction */
  refuseFailedTransaction(): void {
    const failure = this.innermost?.failure;
    if (failure && this.isJoined) throw new FailedTransactionError(failure.error);
  }

  /**
   * Marks the innermost transaction. If TypeORM could not roll that one back, because a subscriber of the host failed,
   * it marks the next one.
   * @throws EndedTransactionError when TypeORM is about to commit a transaction that it could not roll back
   */
  markEnding({ isReleased }: QueryRunner, ending: 'commit' | 'rollback'): void {
    // If TypeORM has released the query runner, the connection broke, and the COMMIT says so.
    if (ending === 'commit' && this.innermost?.ending === 'rollback' && !isReleased)
      throw new EndedTransactionError(undefined, subscriberFailed);
    const ended = this.open.findLast((each) => each.ending !== 'rollback');
    if (ended) ended.ending = ending;
  }

  /** A statement that begins or ends a transaction is about to be sent. */
  sending(): void {
    this.isSending = true;
  }

  /** Resolves when the server has responded to the next such statement. */
  nextResponse(): Promise<void> {
    return new Promise((resolve) => (this.onResponse = resolve));
  }

  /**
   * The server has responded to such a statement.
   * @throws Error when PostgreSQL responds with ROLLBACK to the COMMIT of a transaction that has a call of ours.
   *   TypeORM would take it for a commit. Now it reports the COMMIT again, as failed, and sends a ROLLBACK.
   */
  responded(statement: TransactionStatement, { success, rawResults, error }: Outcome): void {
    this.isSending = false;
    this.onResponse();
    const isRolledBack = statement === 'COMMIT' && Object(rawResults).command === 'ROLLBACK';
    if (isRolledBack && this.isJoined) throw new Error(rolledBackMessage);
    if (success) this.succeeded(isRolledBack ? 'ROLLBACK' : statement);
    else this.failed(statement, error);
  }

  private succeeded(statement: TransactionStatement): void {
    if (statement === 'START' || statement === 'BEGIN') {
      // The host may have ended the earlier transaction by raw SQL.
      this.end();
      this.isJoined = false;
      this.order.reset();
      this.open.push(new OpenTransaction());
    } else if (statement === 'SAVEPOINT') this.open.push(new OpenTransaction(this.innermost));
    else if (statement === 'RELEASE') this.handOver(this.endSavepoint());
    else if (statement === 'ROLLBACK TO' || statement === 'ROLLBACK') {
      // When TypeORM cannot set a savepoint, it rolls back the transaction or the savepoint around it.
      if (this.savepointError) this.markEnded();
      if (statement === 'ROLLBACK') this.end();
      else this.endSavepoint();
    } else {
      this.commits++;
      this.handOver(this.end());
    }
  }

  private failed(statement: TransactionStatement, error: unknown): void {
    if (statement === 'SAVEPOINT') this.savepointError = error;
    else if (statement === 'ROLLBACK TO') {
      // The server has ended the transaction around the savepoint, or will refuse its statements.
      const [savepoint] = this.endSavepoint();
      this.innermost?.fail(savepoint?.failure?.error ?? toShippingError(error, { mayHaveCommitted: false }));
    } else if (statement === 'ROLLBACK') {
      // The connection broke, so the server has rolled everything back.
      this.markEnded(error);
      this.end();
    }
  }

  /** @param rollbackError the error of a ROLLBACK. A COMMIT may have come before it, and then nobody knows the outcome. */
  private markEnded(rollbackError?: unknown): void {
    if (this.isShared) return;
    const typed = toShippingError(this.savepointError, { mayHaveCommitted: false });
    this.endedBy =
      typed instanceof DatabaseUnavailableError
        ? typed
        : new EndedTransactionError(this.savepointError ?? rollbackError, beginOrConnectionFailed);
  }

  private handOver(ended: OpenTransaction[]): void {
    const actions = ended.flatMap(({ afterCommit }) => afterCommit);
    if (this.innermost) this.innermost.afterCommit.push(...actions);
    else for (const action of actions) action();
  }

  /** If a subscriber of the host fails after the end of a savepoint, TypeORM ends it again. The outer one stays open. */
  private endSavepoint(): OpenTransaction[] {
    return this.open.splice(Math.max(1, this.open.length - 1));
  }

  private end(): OpenTransaction[] {
    this.savepointError = undefined;
    return this.open.splice(0);
  }
}

/** TypeORM forgets an open transaction if a subscriber of the host fails before a nested one begins. */
export function isInTransaction(runner: QueryRunner): boolean {
  return runner.isTransactionActive || stateOf(runner).outermost !== undefined;
}

const states = new WeakMap<QueryRunner, RunnerState>();

/** Only the methods of a state change it. */
export function stateOf(runner: QueryRunner): Readonly<RunnerState> {
  const known = states.get(runner);
  if (known) return known;
  const state = new RunnerState(dialectOf(dataSourceOf(runner)).hasOneConnection);
  states.set(runner, state);
  return state;
}
