import { type DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import { DatabaseUnavailableError } from './database.errors.js';
import { withinMs } from './within-ms.js';
import { isInsideHook } from './hook-state.js';
import { onePerDataSource } from './one-per-data-source.js';
import { Turns } from './turns.js';

/** A transaction or savepoint that TypeORM has begun. */
interface OpenTransaction {
  /** Functions that run after the outermost COMMIT. */
  readonly actions: (() => void)[];
  /** The calls of ours in this transaction that have not finished. Its COMMIT or ROLLBACK waits for them. */
  readonly calls: Set<Promise<unknown>>;
  /** The turns of `onChange` and `onEvent`. Each of them may begin a savepoint, so they run one after another. */
  readonly hookTurns: Turns;
  /** Whether a call of ours was made in this transaction. */
  isJoined: boolean;
  /** The error of the first call that failed in this transaction. From then on it can only be rolled back. */
  failure?: { readonly error: unknown };
  isEnding: boolean;
}

interface Connection {
  /** The transaction and its savepoints, outermost first. */
  readonly open: OpenTransaction[];
  readonly turns: Turns;
  /** Set when a transaction begins. It settles when the transaction is open, or cannot begin. */
  opening?: Promise<void> | undefined;
  /** How many transactions are committed. */
  commits: number;
  /** Settles `opening`. */
  endOpening?: () => void;
}

interface TransactionEvent {
  queryRunner: QueryRunner;
}

interface QueryEvent extends TransactionEvent {
  query: string;
  success?: boolean;
  rawResults?: unknown;
}

/**
 * A subscriber of TypeORM may call us during a statement of ours. Then the two calls wait for each other, so the wait is
 * bounded. The bound is longer than the lock time-outs of the servers.
 */
const maxTurnWaitMs = 120_000;

/**
 * These statements are allowed after a failure. ROLLBACK ends the transaction. SAVEPOINT must be allowed, because TypeORM
 * answers a failed SAVEPOINT with a ROLLBACK of the outer transaction.
 */
const passesAfterFailure = /^(ROLLBACK|SAVEPOINT)\b/;

const beginsTransaction = /^(BEGIN|START TRANSACTION|SET TRANSACTION|SAVEPOINT)\b/;

/** A call of ours on a connection. */
export interface JoinedCall {
  /**
   * Runs statements after the statements of earlier calls on this connection.
   * @throws the error of the first call that failed in the transaction; DatabaseUnavailableError when the transaction has
   *   ended by now, because a statement would commit by itself
   */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs `onChange` or `onEvent` after those of earlier calls in the transaction. @throws as `inTurn` */
  inHookTurn(hook: () => Promise<void>): Promise<void>;
  /** From now on, the transaction can only be rolled back. */
  fail(error: unknown): void;
  /** Runs `action` after the outermost COMMIT, or now if no transaction is open. A rollback drops it. */
  afterCommit(action: () => void): void;
}

/**
 * Observes the transactions that TypeORM begins and ends on a DataSource.
 *
 * - Calls on one connection take turns. A transaction begins between two turns.
 * - A transaction ends after the calls that were made in it.
 * - After a call has failed, its transaction refuses every statement until it is rolled back, as PostgreSQL does.
 */
export class OpenTransactions implements EntitySubscriberInterface {
  private readonly connections = new WeakMap<QueryRunner, Connection>();

  constructor(private readonly dataSource: DataSource) {}

  /** Makes TypeORM report its transactions to us. `DataSource.initialize()` replaces the list of subscribers. */
  subscribe(): void {
    const { subscribers } = this.dataSource;
    if (!subscribers.includes(this)) subscribers.push(this);
  }

  /**
   * Runs a call in the innermost transaction that is open on the connection, if there is one.
   * @throws Error when that transaction began before we observed the DataSource
   */
  async join<Result>(
    runner: QueryRunner,
    call: (joinedCall: JoinedCall) => Promise<Result>,
  ): Promise<Result> {
    const connection = this.connectionOf(runner);
    // The statements of this call would run after the BEGIN or SAVEPOINT, so the call belongs to that transaction.
    if (connection.opening) await withinMs(connection.opening, maxTurnWaitMs);
    const transaction = connection.open.at(-1);
    if (runner.isTransactionActive && !transaction) throw new Error(notObservedMessage);
    for (const each of connection.open) each.isJoined = true;
    const take = <Taken>(turns: Turns, work: () => Promise<Taken>): Promise<Taken> =>
      turns.take(async () => {
        if (transaction?.failure) throw transaction.failure.error;
        if (transaction?.isEnding) throw endedTransactionError();
        return work();
      }, maxTurnWaitMs);
    const running = call({
      inTurn: (work) => take(connection.turns, work),
      inHookTurn: (hook) => (transaction ? take(transaction.hookTurns, hook) : hook()),
      fail: (error) => {
        if (transaction) transaction.failure ??= { error };
      },
      afterCommit: (action) => {
        if (transaction) transaction.actions.push(action);
        else action();
      },
    });
    transaction?.calls.add(running);
    try {
      return await running;
    } finally {
      transaction?.calls.delete(running);
    }
  }

  async beforeTransactionStart({ queryRunner }: TransactionEvent): Promise<void> {
    const connection = this.connectionOf(queryRunner);
    // The calls that run now, with their `onChange` or `onEvent`, belong to the outer transaction, so this one begins after
    // them. If a hook begins it, it does not wait, because its own call waits for the hook. If a subscriber begins it during
    // a statement of ours, it and the statement wait for each other, so the wait is bounded.
    let isTooLong = false;
    while (!isTooLong && !isInsideHook(this.dataSource) && callsIn(connection.open).length > 0)
      isTooLong = !(await withinMs(Promise.allSettled(callsIn(connection.open)), maxTurnWaitMs));
    connection.opening = new Promise((resolve) => {
      connection.endOpening = resolve;
    });
    if (!isTooLong) await withinMs(connection.turns.idle(), maxTurnWaitMs);
  }

  afterTransactionStart({ queryRunner }: TransactionEvent): void {
    const connection = this.connectionOf(queryRunner);
    connection.open.push({
      actions: [],
      calls: new Set(),
      hookTurns: new Turns(),
      isJoined: false,
      isEnding: false,
    });
    connection.endOpening?.();
    connection.opening = undefined;
  }

  /** @throws Error after a call has failed. TypeORM then rolls back, and the host gets the error. */
  async beforeTransactionCommit({ queryRunner }: TransactionEvent): Promise<void> {
    const connection = this.connectionOf(queryRunner);
    await waitForCalls(connection);
    refuseAfterFailure(connection);
    markEnding(connection);
  }

  afterTransactionCommit({ queryRunner }: TransactionEvent): void {
    const { open } = this.connectionOf(queryRunner);
    const actions = open.pop()?.actions ?? [];
    const outer = open.at(-1);
    if (outer) outer.actions.push(...actions);
    else for (const action of actions) action();
  }

  async beforeTransactionRollback({ queryRunner }: TransactionEvent): Promise<void> {
    const connection = this.connectionOf(queryRunner);
    await waitForCalls(connection);
    markEnding(connection);
  }

  afterTransactionRollback({ queryRunner }: TransactionEvent): void {
    this.connectionOf(queryRunner).open.pop();
  }

  /** @throws Error after a call has failed. On MySQL, a statement after a deadlock would commit by itself. */
  beforeQuery({ queryRunner, query }: QueryEvent): void {
    const connection = this.connections.get(queryRunner);
    if (connection && !passesAfterFailure.test(query)) refuseAfterFailure(connection);
  }

  /** @throws Error when PostgreSQL answers COMMIT with ROLLBACK, which TypeORM takes for a commit */
  afterQuery({ queryRunner, query, rawResults, success }: QueryEvent): void {
    // A BEGIN that fails has no event of its own.
    if (success === false && beginsTransaction.test(query)) this.connections.get(queryRunner)?.endOpening?.();
    if (query !== 'COMMIT' || !success) return;
    const connection = this.connectionOf(queryRunner);
    if (Object(rawResults).command !== 'ROLLBACK') connection.commits++;
    else if (connection.open.some(({ isJoined }) => isJoined)) throw new Error(rolledBackMessage);
  }

  /** @returns how many transactions are committed on the connection, also if a subscriber of the host has failed then */
  commitsOn(runner: QueryRunner): number {
    return this.connections.get(runner)?.commits ?? 0;
  }

  private connectionOf(runner: QueryRunner): Connection {
    const connection = this.connections.get(runner) ?? { open: [], turns: new Turns(), commits: 0 };
    this.connections.set(runner, connection);
    return connection;
  }
}

export const openTransactionsOf = onePerDataSource((dataSource) => new OpenTransactions(dataSource));

const rolledBackMessage =
  'The COMMIT rolled the transaction back, because a statement in it had failed. Do not ignore the error of that ' +
  'statement, or run the statement in a savepoint.';
const notObservedMessage =
  'This transaction began before ShippingModule knew the DataSource. Initialize the DataSource before the application ' +
  'starts.';

function endedTransactionError(): DatabaseUnavailableError {
  const message =
    'The transaction had ended, or was about to end, before this call ran. Either the call was not awaited, or a ' +
    'subscriber of TypeORM made it in beforeTransactionCommit, or the connection was lost.';
  return new DatabaseUnavailableError(new Error(message));
}

/** Waits for the calls in the innermost transaction, and for calls that are made during the wait. */
async function waitForCalls({ open }: Connection): Promise<void> {
  const innermost = open.slice(-1);
  while (callsIn(innermost).length > 0) await Promise.allSettled(callsIn(innermost));
}

function callsIn(transactions: readonly OpenTransaction[]): Promise<unknown>[] {
  return transactions.flatMap(({ calls }) => [...calls]);
}

function markEnding({ open }: Connection): void {
  const innermost = open.at(-1);
  if (innermost) innermost.isEnding = true;
}

function refuseAfterFailure({ open }: Connection): void {
  const failure = open.find((transaction) => transaction.failure)?.failure;
  if (failure)
    throw new Error('A call of ShippingModule in this transaction has failed. Roll the transaction back.', {
      cause: failure.error,
    });
}
