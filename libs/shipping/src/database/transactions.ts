import { AsyncLocalStorage } from 'node:async_hooks';
import { type EntityManager, type QueryRunner } from 'typeorm';
import { ShippingHttpError } from '../problems/shipping-http.error.js';
import { typedError } from './connection-errors.js';
import { EndedTransactionError } from './database.errors.js';
import { dialectOf } from './dialects/dialects.js';
import { onePerDataSource } from './one-per-data-source.js';
import { type OpenTransaction, RunnerState } from './runner-state.js';
import { SharedConnection } from './shared-connection.js';

/** A step is what a call runs: its statements, or its hook. */
interface Step {
  /** The query runner that this step uses until its statements end. Undefined for a hook. */
  readonly busyRunner: QueryRunner | undefined;
  /** The transaction of the call. */
  readonly transaction: OpenTransaction | undefined;
  /** The calls that a hook has made and that have not finished. */
  readonly calls: Set<Promise<unknown>>;
  isRunning: boolean;
}

/** The steps that a call takes after its statements. */
export interface AfterStatements<Result> {
  /**
   * Returns what to do after the outermost COMMIT. This function runs before `hook`, which may modify the result.
   */
  afterCommit?: (result: Result) => () => void;
  /**
   * The hook is code of the host, such as `beforeCommit.change`. It runs in the transaction, after the statements of
   * the call. If it throws, the transaction can only be rolled back.
   */
  hook?: ((result: Result, manager: EntityManager) => Promise<void>) | undefined;
}

const notObservedMessage =
  'ShippingModule does not observe this transaction. Add your subscribers to dataSource.subscribers, and do not replace ' +
  'this list.';

/** Runs calls in the transactions of a DataSource. Calls on one connection take turns, and so do their hooks. */
export class Transactions {
  private readonly states = new WeakMap<QueryRunner, RunnerState>();
  private readonly steps = new AsyncLocalStorage<Step>();

  /** @param shared the one connection of SQLite; undefined if each call has a connection of its own */
  constructor(readonly shared: SharedConnection | undefined) {}

  stateOf(runner: QueryRunner): RunnerState {
    const state = this.states.get(runner) ?? new RunnerState();
    this.states.set(runner, state);
    return state;
  }

  /** Returns the step in whose async context this code runs, or undefined if that step has ended. */
  runningStep(): Step | undefined {
    const step = this.steps.getStore();
    return step?.isRunning ? step : undefined;
  }

  /** @throws EndedTransactionError when no transaction can be open on the query runner, or begin there */
  refuseEnded(runner: QueryRunner): void {
    const { hasLostTransaction, open } = this.stateOf(runner);
    // If TypeORM has released a query runner with an open transaction, the connection broke. The next statement fails.
    if (hasLostTransaction || (runner.isReleased && open.length === 0)) throw new EndedTransactionError();
  }

  /** Runs statements after those of earlier calls on the connection, whether a transaction is open there or not. */
  inTurn<Result>(runner: QueryRunner, statements: () => Promise<Result>): Promise<Result> {
    const step = { busyRunner: runner, transaction: undefined };
    return this.stateOf(runner).turns.take(() => this.inStep(step, statements));
  }

  /**
   * Runs a call in the innermost transaction that is open on the connection, if there is one.
   * @throws the error of the first call that failed in the transaction; EndedTransactionError when it has ended by now,
   *   because a statement would commit by itself; Error when we do not observe the transaction
   */
  async join<Result>(
    runner: QueryRunner,
    statements: () => Promise<Result>,
    after: AfterStatements<Result> = {},
  ): Promise<Result> {
    const state = this.stateOf(runner);
    const transaction = state.innermost;
    this.refuseEnded(runner);
    if (transaction?.isEnding) throw new EndedTransactionError();
    if (runner.isTransactionActive && !transaction) throw new Error(notObservedMessage);
    for (const each of state.open) each.isJoined = true;
    const call = this.run(runner, transaction, statements, after);
    const step = this.runningStep();
    transaction?.calls.add(call);
    step?.calls.add(call);
    return call.finally(() => {
      transaction?.calls.delete(call);
      step?.calls.delete(call);
    });
  }

  /**
   * If a statement or the hook fails, the transaction can only be rolled back, even if the caller catches the error.
   */
  private async run<Result>(
    runner: QueryRunner,
    transaction: OpenTransaction | undefined,
    statements: () => Promise<Result>,
    { afterCommit, hook }: AfterStatements<Result>,
  ): Promise<Result> {
    let hasWritten = false;
    try {
      const result = await this.stateOf(runner).turns.take(() =>
        this.inStep({ busyRunner: runner, transaction }, statements),
      );
      hasWritten = true;
      if (afterCommit) transaction?.actions.push(afterCommit(result));
      if (hook) {
        const runHook = (): Promise<void> =>
          this.inStep({ busyRunner: undefined, transaction }, () => hook(result, runner.manager));
        // The hook runs outside of the turn of the connection, so that it can call us with the manager. If such a call
        // has a hook of its own, this inner hook must not wait for a turn, because the outer hook has it.
        const turns = this.runningStep() ? undefined : transaction?.hookTurns;
        await (turns ? turns.take(runHook) : runHook());
      }
      return result;
    } catch (error) {
      const typed = typedError(error);
      const mayGoOn = !hasWritten && typed instanceof ShippingHttpError && !typed.endsTransaction;
      if (!mayGoOn) transaction?.fail(typed);
      throw typed;
    }
  }

  private async inStep<Result>(
    { busyRunner, transaction }: Pick<Step, 'busyRunner' | 'transaction'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    // Another call in the transaction may have failed before this step.
    if (transaction?.failure) throw transaction.failure.error;
    const step: Step = { busyRunner, transaction, calls: new Set(), isRunning: true };
    try {
      return await this.steps.run(step, work);
    } finally {
      // Code that the step has started and not awaited runs on, and is no longer inside of it.
      step.isRunning = false;
    }
  }
}

export const transactionsOf = onePerDataSource((dataSource) => {
  const { hasOneConnection } = dialectOf(dataSource);
  return new Transactions(hasOneConnection ? new SharedConnection() : undefined);
});
