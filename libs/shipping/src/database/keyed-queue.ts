import { contentionOf } from './connection-errors.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from './database.errors.js';
import { withinMs } from './timers.js';

/** A statement may never return. After this time the next call starts, although the one before still runs. */
const slowCallMs = 30_000;

/** Runs calls with the same key one after another. Calls that wait for one lock then use one connection, not one each. */
export class KeyedQueue {
  /** For each key, a promise that settles when its last call is done, or is too slow. */
  private readonly lastCalls = new Map<string, Promise<unknown>>();

  /**
   * If a call fails because the database is not available, the calls that wait behind it fail at once. If a call loses a
   * race, only this call fails.
   */
  async take<Result>(key: string, call: () => Promise<Result>): Promise<Result> {
    const previous = this.lastCalls.get(key) ?? Promise.resolve();
    const result = previous.then(call, (error: unknown) => {
      const isUnavailable = error instanceof DatabaseUnavailableError && error.contention !== 'race';
      if (isUnavailable || error instanceof OutcomeUnknownError)
        throw new DatabaseUnavailableError(error.cause, contentionOf(error));
      return call();
    });
    const doneOrTooSlow = previous.catch(() => undefined).then(() => withinMs(result, slowCallMs));
    doneOrTooSlow.catch(() => undefined);
    this.lastCalls.set(key, doneOrTooSlow);
    try {
      return await result;
    } finally {
      if (this.lastCalls.get(key) === doneOrTooSlow) this.lastCalls.delete(key);
    }
  }
}
