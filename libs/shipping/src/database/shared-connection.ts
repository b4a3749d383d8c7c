import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseUnavailableError } from './database.errors.js';
import { withinMs } from './timers.js';
import { Turns } from './turns.js';

/**
 * How long a call waits for the transaction of another caller: as long as SQLite waits for another process by default.
 */
const maxWaitMs = 5_000;

const notEndedMessage =
  'The transaction of another caller did not end. If it waits for this call, pass its manager to the call.';

interface OwnTransaction {
  ended?: Promise<unknown>;
}

/**
 * The one connection that all callers have on SQLite. A transaction that begins inside of another one is part of it.
 */
export class SharedConnection {
  /** Calls without a manager of the caller take turns. */
  readonly turns = new Turns();
  /** The transaction of ours that runs now. */
  private current: OwnTransaction | undefined;
  /** The transaction of ours in whose async context this code runs. It may have ended. */
  private readonly ambient = new AsyncLocalStorage<OwnTransaction>();

  /**
   * Runs a transaction of ours when no other one is open.
   * @param outermost returns the outermost transaction that is open
   * @throws DatabaseUnavailableError when the other transaction does not end, for instance because it waits for this
   *   call
   */
  async runAlone<Result>(
    outermost: () => { readonly ended: Promise<void> } | undefined,
    transaction: () => Promise<Result>,
  ): Promise<Result> {
    for (let other = outermost(); other; other = outermost()) {
      await withinMs(other.ended, maxWaitMs);
      if (outermost() === other) throw new DatabaseUnavailableError(new Error(notEndedMessage), 'lock');
    }
    // Nothing may come between the check and the begin.
    const own: OwnTransaction = {};
    this.current = own;
    const result = this.ambient.run(own, transaction);
    own.ended = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      // If a subscriber of the host was slow, the next transaction has begun already.
      if (this.current === own) this.current = undefined;
    }
  }

  /** Returns the transaction of ours that runs now, unless the caller itself runs in it. */
  transactionToWaitFor(): Promise<unknown> | undefined {
    return this.current === this.ambient.getStore() ? undefined : this.current?.ended;
  }
}
