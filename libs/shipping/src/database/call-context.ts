import { AsyncLocalStorage } from 'node:async_hooks';
import { type QueryRunner } from 'typeorm';
import { Turns } from './turns.js';

/** Code that a call runs on a query runner has this async context. The code is its statements, or a hook of the host. */
export class CallContext {
  /** The call has a turn on the query runner. Calls that it starts in this turn take turns in a queue of their own. */
  readonly turns = new Turns();
  isOver = false;

  constructor(
    readonly runner: QueryRunner,
    readonly kind: 'statements' | 'hook',
  ) {}
}

const contexts = new AsyncLocalStorage<CallContext>();

/** Returns the context in which this code runs. Code that a call has started and not awaited has left its context. */
export function currentContext(): CallContext | undefined {
  const context = contexts.getStore();
  return context?.isOver ? undefined : context;
}

export async function runInContext<Result>(
  context: CallContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await contexts.run(context, work);
  } finally {
    context.isOver = true;
  }
}
