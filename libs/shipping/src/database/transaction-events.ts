import { type DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import { EndedTransactionError } from './database.errors.js';
import { type RunnerState } from './runner-state.js';
import { soon } from './timers.js';
import { type Transactions, transactionsOf } from './transactions.js';

interface TransactionEvent {
  queryRunner: QueryRunner;
}

interface QueryEvent extends TransactionEvent {
  query: string;
  success?: boolean;
  rawResults?: unknown;
}

/**
 * These statements are allowed after a failure. ROLLBACK ends the transaction. SAVEPOINT must be allowed, because
 * TypeORM reacts to a failed SAVEPOINT with a ROLLBACK of the outer transaction.
 */
const passesAfterFailure = /^(ROLLBACK|SAVEPOINT)\b/;

const rolledBackMessage =
  'The COMMIT rolled the transaction back, because a statement in it had failed. Do not ignore the error of that ' +
  'statement, or run the statement in a savepoint.';

/**
 * Observes the transactions that TypeORM begins and ends on a DataSource.
 *
 * - A transaction ends after the calls that were made in it. A nested one begins after the calls that were made before.
 * - After a call has failed, its transaction refuses every statement until it is rolled back, as PostgreSQL does.
 */
export class TransactionEvents implements EntitySubscriberInterface {
  constructor(private readonly transactions: Transactions) {}

  async beforeTransactionStart({ queryRunner }: TransactionEvent): Promise<void> {
    const { shared } = this.transactions;
    const state = this.transactions.stateOf(queryRunner);
    while (shared?.transactionToWaitFor()) await shared.transactionToWaitFor();
    // Calls that are made from now on belong to this transaction. Their statements come after the BEGIN or SAVEPOINT.
    await this.afterCalls(state, () => {
      state.begin();
      // A subscriber of the host may begin it during statements of ours, in their turn.
      if (this.transactions.runningStep()?.busyRunner === queryRunner) return;
      return turnOf(state);
    });
  }

  /** On SQLite, another transaction may end while this one waits to begin. TypeORM then marks both as ended. */
  afterTransactionStart({ queryRunner }: TransactionEvent): void {
    if (this.transactions.shared) Object.assign(queryRunner, { isTransactionActive: true });
  }

  /** @throws Error after a call has failed. TypeORM then rolls back, and the host gets the error. */
  async beforeTransactionCommit({ queryRunner }: TransactionEvent): Promise<void> {
    const state = this.transactions.stateOf(queryRunner);
    // TypeORM calls all subscribers at once. A subscriber behind ours may make a call, which belongs to this
    // transaction.
    await Promise.resolve();
    await this.afterCalls(state, () => {
      state.refuseFailedTransaction();
      state.markEnding();
    });
  }

  afterTransactionCommit({ queryRunner }: TransactionEvent): void {
    const state = this.transactions.stateOf(queryRunner);
    const actions = state.removeEnded(queryRunner).flatMap((each) => each.actions);
    if (state.innermost) state.innermost.actions.push(...actions);
    else for (const action of actions) action();
  }

  async beforeTransactionRollback({ queryRunner }: TransactionEvent): Promise<void> {
    const state = this.transactions.stateOf(queryRunner);
    await this.afterCalls(state, () => state.markEnding());
  }

  afterTransactionRollback({ queryRunner }: TransactionEvent): void {
    const state = this.transactions.stateOf(queryRunner);
    const ended = state.removeEnded(queryRunner);
    // On SQLite, an outer transaction may belong to another caller, whose statements go on.
    if (ended.length > 1 && !this.transactions.shared) state.hasLostTransaction = true;
  }

  /** @throws Error after a call has failed. On MySQL, a statement after a deadlock would commit by itself. */
  beforeQuery({ queryRunner, query }: QueryEvent): void {
    const state = this.transactions.stateOf(queryRunner);
    // PostgreSQL, MySQL and MariaDB begin an outermost transaction with it. On SQLite, others may have some open.
    if (query === 'START TRANSACTION') state.removeNeverBegun();
    if (state.hasLostTransaction && query !== 'ROLLBACK') throw new EndedTransactionError();
    if (!passesAfterFailure.test(query)) state.refuseFailedTransaction();
  }

  /**
   * @throws Error when PostgreSQL responds to the COMMIT of a transaction that has a call of ours with ROLLBACK, which
   *   TypeORM treats as a commit
   */
  afterQuery({ queryRunner, query, rawResults, success }: QueryEvent): void {
    const state = this.transactions.stateOf(queryRunner);
    if (!success) return this.afterFailedQuery(state, query);
    if (query !== 'COMMIT') return;
    if (Object(rawResults).command !== 'ROLLBACK') state.commits++;
    else if (state.open.some(({ isJoined }) => isJoined)) throw new Error(rolledBackMessage);
  }

  /** TypeORM does not report these ends. */
  private afterFailedQuery(state: RunnerState, query: string): void {
    if (query.startsWith('ROLLBACK TO')) state.removeLostSavepoint();
    if (query !== 'ROLLBACK') return;
    // The connection broke, so the server has rolled everything back.
    state.removeAll();
    state.hasLostTransaction = !this.transactions.shared;
  }

  /**
   * Waits for the calls in the open transactions, and for calls that are made during the wait. A hook waits only for the
   * calls that it has made, and for those in transactions that it has begun. Otherwise it would wait for its own call.
   * @param action runs before another call can be made
   */
  private async afterCalls({ open }: RunnerState, action: () => void | Promise<void>): Promise<void> {
    const calls = (): Promise<unknown>[] => {
      const step = this.transactions.runningStep();
      const inner = open.findIndex((each) => each === step?.transaction) + 1;
      return [...(step?.calls ?? []), ...open.slice(inner).flatMap((each) => [...each.calls])];
    };
    while (calls().length > 0) await Promise.allSettled(calls());
    await action();
  }
}

/** Waits for a turn. It lasts until TypeORM has sent the statement that begins a transaction. */
function turnOf({ turns }: RunnerState): Promise<void> {
  return new Promise((resolve) => {
    void turns.take(() => {
      resolve();
      return new Promise(soon);
    });
  });
}

/** Makes TypeORM report the transactions of a DataSource to us. */
export function observeTransactions(dataSource: DataSource): void {
  const { subscribers } = dataSource;
  const isObserved = subscribers.some((each) => each instanceof TransactionEvents);
  if (!isObserved) subscribers.push(new TransactionEvents(transactionsOf(dataSource)));
}
