import { type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { onePerDataSource } from './one-per-data-source.js';
import { OpenTransactions, type Transaction } from './open-transactions.js';
import { DatabaseUnavailableError } from './storage.errors.js';

/** The last argument of every service method. */
export interface CallOptions {
  /** Joins this manager's transaction: nothing is committed, retried or visible to others on its own. */
  manager?: EntityManager;
}

/** The caller's connection, and the transaction that was open on it when the call began. */
export class JoinedTransaction {
  constructor(
    readonly runner: QueryRunner,
    private readonly transaction: Transaction | undefined,
    private readonly open: OpenTransactions,
  ) {}

  /** @throws DatabaseUnavailableError when the transaction has ended: a later statement would commit by itself */
  assertOpen(): void {
    if (this.transaction?.hasFailed)
      throw new DatabaseUnavailableError(new Error('A call in this transaction had failed: roll it back.'));
    if (!this.runner.isReleased && !this.transaction?.hasEnded) return;
    const cause = new Error('The transaction had ended before the call was done: await the call first.');
    throw new DatabaseUnavailableError(cause);
  }

  /** Runs work of several statements after the work that was given before. The transaction does not end in between. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.open.inTurn(this.runner, work);
  }

  /** A change failed half-way: the transaction must not be committed. */
  fail(): void {
    this.open.fail(this.runner);
  }
}

/**
 * Where a statement runs. `shared`: it may be batched with other calls, commits by itself and waits for no lock. `alone`:
 * it commits by itself and waits for locks. A `JoinedTransaction`: it is part of the caller's transaction.
 */
export type Scope = 'shared' | 'alone' | JoinedTransaction;

export const openTransactionsOf = onePerDataSource(() => new OpenTransactions());

/** Finds the transaction that a call is part of. */
export class Transactions {
  private readonly open: OpenTransactions;

  /** @param ambientManager the option `entityManager` of the module */
  constructor(
    readonly dataSource: DataSource,
    private readonly ambientManager?: () => EntityManager | undefined,
  ) {
    this.open = openTransactionsOf(dataSource);
  }

  /**
   * The scope of a call that begins now. Ask once for each call: it joins no ambient transaction that begins later, and
   * sends nothing once its transaction has ended.
   * @throws TypeError for a manager of another DataSource
   */
  scopeOf(options: CallOptions): Scope {
    const manager = options.manager ?? this.ambientManager?.() ?? this.dataSource.manager;
    if (manager.connection !== this.dataSource) {
      throw new TypeError(
        'The manager belongs to another DataSource than ShippingModule: pass one of the DataSource it was given.',
      );
    }
    const { queryRunner } = manager;
    return queryRunner
      ? new JoinedTransaction(queryRunner, this.open.join(queryRunner), this.open)
      : 'shared';
  }

  /** Runs `action` when what the call wrote is committed: at once, or after the caller's outermost COMMIT. */
  afterCommit(scope: Scope, action: () => void): void {
    this.open.afterCommit(scope instanceof JoinedTransaction ? scope.runner : undefined, action);
  }
}
