import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  type QueryRunner,
} from 'typeorm';
import { ShippingException } from '../problems/shipping.exception.js';
import { typedError } from './connection-errors.js';
import { DatabaseUnavailableError } from './database.errors.js';
import { onePerDataSource } from './one-per-data-source.js';
import { type SharedConnection, sharedConnectionOf } from './shared-connection.js';
import { soon } from './timers.js';
import { Turns } from './turns.js';

/** A transaction or savepoint that TypeORM has begun. */
class OpenTransaction {
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
   * The error of the first call that failed, here or in a transaction around this one. From then on, this transaction can only
   * be rolled back.
   */
  get failure(): { readonly error: unknown } | undefined {
    return this.ownFailure ?? this.outer?.failure;
  }

  fail(error: unknown): void {
    this.ownFailure ??= { error };
  }
}

interface Connection {
  /** The transaction and its savepoints, outermost first. */
  readonly open: OpenTransaction[];
  /** Calls on one connection take turns. A transaction begins between two turns. */
  readonly turns: Turns;
  /** How many transactions are committed. */
  commits: number;
  /**
   * Whether a transaction has ended without the knowledge of the host. The connection broke, or a nested transaction could not
   * begin on PostgreSQL, and TypeORM then rolled back the outer one. Another nested transaction would now begin as an outermost
   * one, and commit by itself. So no call of ours runs on this connection again.
   */
  hasLostTransaction: boolean;
  /** Whether a statement of the host would commit by itself, because its transaction was lost and no other one has begun. */
  refusesStatements: boolean;
}

/** A step is what a call runs: its statements, or its hook. */
interface Step {
  /** The connection that this step uses until its statements end. Undefined for a hook. */
  readonly busyConnection: Connection | undefined;
  /** The transaction of the call. */
  readonly transaction: OpenTransaction | undefined;
  /** The calls that this hook makes queue their hooks here. The queue of this hook itself is busy until they end. */
  readonly hookTurns: Turns;
  /** The calls that this hook has made and that have not finished. */
  readonly calls: Set<Promise<unknown>>;
  isRunning: boolean;
}

/** The steps that a call takes after its statements. */
export interface AfterStatements<Result> {
  /**
   * This function is called before `hook`, which may change the result. The function that it returns runs after the
   * outermost COMMIT.
   */
  prepareAnnouncement?: (result: Result) => () => void;
  /**
   * The hook is code of the host, such as `beforeCommit.change`. It runs in the transaction, after the statements of the
   * call. If it throws, the transaction can only be rolled back.
   */
  hook?: ((result: Result, manager: EntityManager) => Promise<void>) | undefined;
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
 * These statements are allowed after a failure. ROLLBACK ends the transaction. SAVEPOINT must be allowed, because TypeORM
 * reacts to a failed SAVEPOINT with a ROLLBACK of the outer transaction.
 */
const passesAfterFailure = /^(ROLLBACK|SAVEPOINT)\b/;

/**
 * Observes the transactions that TypeORM begins and ends on a DataSource.
 *
 * - Calls on one connection take turns, and so do their hooks.
 * - A transaction ends after the calls that were made in it. A nested one begins after the calls that were made before.
 * - After a call has failed, its transaction refuses every statement until it is rolled back, as PostgreSQL does.
 */
export class Transactions implements EntitySubscriberInterface {
  private readonly connections = new WeakMap<QueryRunner, Connection>();
  private readonly steps = new AsyncLocalStorage<Step>();
  private readonly shared: SharedConnection | undefined;

  constructor(private readonly dataSource: DataSource) {
    this.shared = sharedConnectionOf(dataSource);
  }

  /** Makes TypeORM report its transactions to us. */
  subscribe(): void {
    const { subscribers } = this.dataSource;
    if (!subscribers.includes(this)) subscribers.push(this);
  }

  /** Returns the step in whose async context this code runs, or undefined if that step has ended. */
  runningStep(): Step | undefined {
    const step = this.steps.getStore();
    return step?.isRunning ? step : undefined;
  }

  /** Runs statements after those of earlier calls on the connection, whether a transaction is open there or not. */
  inTurn<Result>(runner: QueryRunner, statements: () => Promise<Result>): Promise<Result> {
    const connection = this.connectionOf(runner);
    return this.inStep(connection.turns, { busyConnection: connection, transaction: undefined }, statements);
  }

  /**
   * Runs a call in the innermost transaction that is open on the connection, if there is one.
   * @throws the error of the first call that failed in the transaction; DatabaseUnavailableError when the transaction has
   *   ended by now, because a statement would commit by itself; Error when we do not observe the transaction
   */
  async join<Result>(
    runner: QueryRunner,
    statements: () => Promise<Result>,
    after: AfterStatements<Result> = {},
  ): Promise<Result> {
    const connection = this.connectionOf(runner);
    const transaction = connection.open.at(-1);
    this.refuseLostTransaction(runner);
    if (transaction?.isEnding) throw endedTransactionError();
    if (runner.isTransactionActive && !transaction) throw new Error(notObservedMessage);
    for (const each of connection.open) each.isJoined = true;
    const call = this.run(runner, transaction, statements, after);
    const step = this.runningStep();
    transaction?.calls.add(call);
    step?.calls.add(call);
    return call.finally(() => {
      transaction?.calls.delete(call);
      step?.calls.delete(call);
    });
  }

  /** @throws DatabaseUnavailableError */
  refuseLostTransaction(runner: QueryRunner): void {
    if (this.connections.get(runner)?.hasLostTransaction) throw endedTransactionError();
  }

  async beforeTransactionStart({ queryRunner }: TransactionEvent): Promise<void> {
    const connection = this.connectionOf(queryRunner);
    while (this.shared?.transactionToWaitFor()) await this.shared.transactionToWaitFor();
    // Calls that are made from now on belong to this transaction. Their statements come after the BEGIN or SAVEPOINT.
    await this.afterCalls(connection, () => {
      connection.refusesStatements = false;
      connection.open.push(new OpenTransaction(connection.open.at(-1)));
      // A subscriber of the host may begin it during statements of ours, in their turn.
      if (this.runningStep()?.busyConnection === connection) return;
      return new Promise((mayBegin) => {
        void connection.turns.take(() => {
          mayBegin();
          return new Promise(soon);
        });
      });
    });
  }

  /** On SQLite, another transaction may end while this one waits to begin. TypeORM then marks both as ended. */
  afterTransactionStart({ queryRunner }: TransactionEvent): void {
    if (this.shared) Object.assign(queryRunner, { isTransactionActive: true });
  }

  /** @throws Error after a call has failed. TypeORM then rolls back, and the host gets the error. */
  async beforeTransactionCommit({ queryRunner }: TransactionEvent): Promise<void> {
    const connection = this.connectionOf(queryRunner);
    // TypeORM calls all subscribers at once. A subscriber behind ours may make a call, which belongs to this transaction.
    await Promise.resolve();
    await this.afterCalls(connection, () => {
      refuseFailedTransaction(connection);
      markEnding(connection);
    });
  }

  afterTransactionCommit({ queryRunner }: TransactionEvent): void {
    const { open } = this.connectionOf(queryRunner);
    const actions = removeFrom(open, queryRunner).flatMap((each) => each.actions);
    const outer = open.at(-1);
    if (outer) outer.actions.push(...actions);
    else for (const action of actions) action();
  }

  async beforeTransactionRollback({ queryRunner }: TransactionEvent): Promise<void> {
    const connection = this.connectionOf(queryRunner);
    await this.afterCalls(connection, () => markEnding(connection));
  }

  afterTransactionRollback({ queryRunner }: TransactionEvent): void {
    const connection = this.connectionOf(queryRunner);
    const ended = removeFrom(connection.open, queryRunner);
    // On SQLite, the other transaction may belong to another caller, and reads go on.
    connection.refusesStatements = !this.shared && !queryRunner.isTransactionActive && ended.length > 1;
    connection.hasLostTransaction ||= connection.refusesStatements;
  }

  /** @throws Error after a call has failed. On MySQL, a statement after a deadlock would commit by itself. */
  beforeQuery({ queryRunner, query }: QueryEvent): void {
    const connection = this.connections.get(queryRunner);
    // TypeORM reports no end for a transaction whose begin a subscriber of the host has refused.
    if (connection && !this.shared && query === 'START TRANSACTION') removeAll(connection.open, 0, -1);
    if (connection?.refusesStatements && query !== 'ROLLBACK') throw endedTransactionError();
    if (connection && !passesAfterFailure.test(query)) refuseFailedTransaction(connection);
  }

  /** @throws Error when PostgreSQL replies to COMMIT with ROLLBACK, which TypeORM treats as a commit */
  afterQuery({ queryRunner, query, rawResults, success }: QueryEvent): void {
    const connection = this.connectionOf(queryRunner);
    // TypeORM does not report this end. The connection broke, or SQLite has rolled back by itself, for instance because the
    // disk is full.
    if (query === 'ROLLBACK' && !success) {
      removeAll(connection.open);
      connection.hasLostTransaction = !this.shared;
    }
    if (query.startsWith('ROLLBACK TO') && !success) removeLostSavepoint(connection);
    if (query !== 'COMMIT' || !success) return;
    if (Object(rawResults).command !== 'ROLLBACK') connection.commits++;
    else if (connection.open.some(({ isJoined }) => isJoined)) throw new Error(rolledBackMessage);
  }

  /** Returns the outermost transaction that is open on the connection. */
  outermost(runner: QueryRunner): OpenTransaction | undefined {
    return this.connections.get(runner)?.open[0];
  }

  /** @returns how many transactions are committed on the connection, also if a subscriber of the host has failed then */
  commitsOn(runner: QueryRunner): number {
    return this.connections.get(runner)?.commits ?? 0;
  }

  /** If a statement or the hook fails, the transaction can only be rolled back, even if the caller catches the error. */
  private async run<Result>(
    runner: QueryRunner,
    transaction: OpenTransaction | undefined,
    statements: () => Promise<Result>,
    { prepareAnnouncement, hook }: AfterStatements<Result>,
  ): Promise<Result> {
    const connection = this.connectionOf(runner);
    let hasWritten = false;
    try {
      const result = await this.inStep(
        connection.turns,
        { busyConnection: connection, transaction },
        statements,
      );
      hasWritten = true;
      if (prepareAnnouncement) transaction?.actions.push(prepareAnnouncement(result));
      const step = this.runningStep();
      // If a hook begins a nested transaction, the calls in it queue their hooks on that transaction.
      const queueOwner = step && step.transaction === transaction ? step : transaction;
      // The hook runs outside of the turn of the connection, so that it can call us with the manager.
      if (hook)
        await this.inStep(
          queueOwner?.hookTurns ?? new Turns(),
          { busyConnection: undefined, transaction },
          () => hook(result, runner.manager),
        );
      return result;
    } catch (error) {
      const typed = typedError(error);
      const mayGoOn = !hasWritten && typed instanceof ShippingException && !typed.endsTransaction;
      if (!mayGoOn) transaction?.fail(typed);
      throw typed;
    }
  }

  private inStep<Result>(
    turns: Turns,
    { busyConnection, transaction }: Pick<Step, 'busyConnection' | 'transaction'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return turns.take(async () => {
      // Another call in the transaction may have failed while this step waited.
      if (transaction?.failure) throw transaction.failure.error;
      const step: Step = {
        busyConnection,
        transaction,
        hookTurns: new Turns(),
        calls: new Set(),
        isRunning: true,
      };
      try {
        return await this.steps.run(step, work);
      } finally {
        // Code that the step has started and not awaited runs on, and is no longer inside of it.
        step.isRunning = false;
      }
    });
  }

  /**
   * Waits for the calls in the open transactions, and for calls that are made during the wait. Hooks wait
   * only for calls in transactions that they have begun, because their own call waits for them.
   * @param action runs before another call can be made
   */
  private async afterCalls({ open }: Connection, action: () => void | Promise<void>): Promise<void> {
    const calls = (): Promise<unknown>[] => {
      const step = this.runningStep();
      const around = open.findIndex((each) => each === step?.transaction);
      return [...(step?.calls ?? []), ...open.slice(around + 1).flatMap((each) => [...each.calls])];
    };
    while (calls().length > 0) await Promise.allSettled(calls());
    await action();
  }

  private connectionOf(runner: QueryRunner): Connection {
    const connection = this.connections.get(runner) ?? {
      open: [],
      turns: new Turns(),
      commits: 0,
      hasLostTransaction: false,
      refusesStatements: false,
    };
    this.connections.set(runner, connection);
    return connection;
  }
}

export const transactionsOf = onePerDataSource((dataSource) => new Transactions(dataSource));

const rolledBackMessage =
  'The COMMIT rolled the transaction back, because a statement in it had failed. Do not ignore the error of that ' +
  'statement, or run the statement in a savepoint.';
const notObservedMessage =
  'ShippingModule does not observe this transaction. Add your subscribers to dataSource.subscribers, and do not replace ' +
  'this list.';

function endedTransactionError(): DatabaseUnavailableError {
  const message =
    'The transaction had ended, or was about to end, before this call ran. Either the call was not awaited, or a ' +
    'subscriber of TypeORM made it in beforeTransactionCommit, or a nested transaction could not begin, or the ' +
    'connection was lost. If you keep a QueryRunner, take a new one.';
  return new DatabaseUnavailableError(new Error(message), undefined, message);
}

/** Removes the transaction that has ended. With the outermost one, it also removes nested ones that failed to begin. */
function removeFrom(open: OpenTransaction[], { isTransactionActive }: QueryRunner): OpenTransaction[] {
  return isTransactionActive ? removeAll(open, -1) : removeAll(open);
}

/** TypeORM does not report this end. The database has ended the transaction around it, or will refuse its statements. */
function removeLostSavepoint({ open }: Connection): void {
  if (open.length < 2) return;
  const [lost] = removeAll(open, -1);
  if (lost?.failure) open.at(-1)?.fail(lost.failure.error);
}

/** Removes the transactions from `start` to `end`, as `slice` would return them. */
function removeAll(open: OpenTransaction[], start = 0, end?: number): OpenTransaction[] {
  const removed = open.slice(start, end);
  open.splice(start, removed.length);
  for (const each of removed) each.end();
  return removed;
}

function markEnding({ open }: Connection): void {
  const innermost = open.at(-1);
  if (innermost) innermost.isEnding = true;
}

function refuseFailedTransaction({ open }: Connection): void {
  const failure = open.at(-1)?.failure;
  if (failure)
    throw new Error('A call of ShippingModule in this transaction has failed. Roll the transaction back.', {
      cause: failure.error,
    });
}
