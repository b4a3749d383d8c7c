import { type EntityManager, type QueryRunner } from 'typeorm';
import { CallContext, currentContext, runInContext } from './call-context.js';
import { ShippingHttpError } from '../problems/shipping-http.error.js';
import { typedOwnError } from './driver-errors.js';
import { isInTransaction, type OpenTransaction, stateOf } from './runner-state.js';
import { type Turns } from './turns.js';

/** The steps that a call takes after its statements. */
export interface AfterStatements<Result> {
  /**
   * Returns what to do after the outermost COMMIT. This function runs before `hook`, which may modify the result.
   */
  actionAfterCommit?: ((result: Result) => () => void) | undefined;
  /**
   * The hook is code of the host, such as `beforeCommit.change`. It runs in the transaction, after the statements of
   * the call. If it throws, the transaction can only be rolled back.
   */
  hook?: ((result: Result, manager: EntityManager) => Promise<void>) | undefined;
}

/**
 * Runs a call in the innermost transaction that is open on the query runner, if there is one. Calls on one query runner
 * run one after another, each with its hook.
 * @throws the error of the first call that failed in the transaction; EndedTransactionError when it has ended by now,
 *   because a statement would commit by itself
 */
export async function runCall<Result>(
  runner: QueryRunner,
  statements: () => Promise<Result>,
  { actionAfterCommit, hook }: AfterStatements<Result> = {},
): Promise<Result> {
  // A call that was made outside of a transaction does not join one that begins while the call waits for its turn.
  const mayJoin = isInTransaction(runner);
  const state = stateOf(runner);
  state.refuseLateCall(runner);
  return turnsOfCalls(runner).take(async () => {
    const transaction = mayJoin ? state.join(runner) : undefined;
    const running = failTransactionOnError(transaction, mayGoOn, () =>
      runInContext(new CallContext(runner, 'statements'), statements),
    );
    state.order.ourCallRuns(running);
    const result = await running;
    if (actionAfterCommit) transaction?.afterCommit.push(actionAfterCommit(result));
    if (hook)
      await failTransactionOnError(transaction, never, () =>
        runHook(runner, () => hook(result, runner.manager)),
      );
    return result;
  });
}

/** The context of the hook that runs now on a query runner. */
const hooks = new WeakMap<QueryRunner, CallContext | undefined>();

/**
 * While a hook runs, a call takes its turn inside of the hook. If the hook has made the call, it would otherwise wait for
 * ever: the call that runs the hook keeps its own turn until the hook ends.
 */
function turnsOfCalls(runner: QueryRunner): Turns {
  const context = currentContext();
  return context?.runner === runner ? context.turns : (hooks.get(runner) ?? stateOf(runner)).turns;
}

async function runHook(runner: QueryRunner, hook: () => Promise<void>): Promise<void> {
  const outerHook = hooks.get(runner);
  const context = new CallContext(runner, 'hook');
  hooks.set(runner, context);
  try {
    await runInContext(context, hook);
  } finally {
    // The hook may not have awaited its calls.
    await context.turns.takeLast(() => Promise.resolve());
    hooks.set(runner, outerHook);
  }
}

/**
 * Runs statements or a hook. If they fail, the transaction can only be rolled back, even if the caller catches the error.
 * @param isHarmless tells whether the transaction may go on after the error
 */
async function failTransactionOnError<Result>(
  transaction: OpenTransaction | undefined,
  isHarmless: (error: unknown) => boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    // The work may have ignored the error of a call or of a statement.
    if (transaction?.failure) throw transaction.failure.error;
    return result;
  } catch (error) {
    // Errors after the first one are its consequences, for instance that the query runner is released.
    const typed = transaction?.failure ? transaction.failure.error : typedOwnError(error);
    if (!isHarmless(typed)) transaction?.fail(typed);
    throw typed;
  }
}

const mayGoOn = (error: unknown): boolean => error instanceof ShippingHttpError && !error.endsTransaction;
const never = (): boolean => false;
