import { DatabaseUnavailableError, OutcomeUnknownError } from './database.errors.js';
import { withinMs } from './timers.js';

/** A statement may never return. After this time the next call starts, although the one before still runs. */
const slowCallMs = 30_000;

/**
 * Runs calls with the same key one after another. Calls that wait for one lock then use one connection, not one each.
 */
export class KeyedQueue {
  /** For each key, a promise that settles when its last call is done, or is too slow. */
  private readonly lastCalls = new Map<string, Promise<unknown>>();
  /** The number of calls that have not begun. */
  waiting = 0;

  /**
   * If a call fails because the database is not available, or a lock is not free in time, the calls that wait behind it
   * fail at once. If a call loses a race, only this call fails.
   */
  async take<Result>(key: string, call: () => Promise<Result>): Promise<Result> {
    const previous = this.lastCalls.get(key) ?? Promise.resolve();
    const begin = (): Promise<Result> => {
      this.waiting--;
      return call();
    };
    this.waiting++;
    const result = previous.then(begin, (error: unknown) => {
      const contention = error instanceof DatabaseUnavailableError ? error.contention : undefined;
      const isUnavailable = error instanceof DatabaseUnavailableError || error instanceof OutcomeUnknownError;
      if (!isUnavailable || contention === 'race') return begin();
      this.waiting--;
      throw new DatabaseUnavailableError(error.cause, contention);
    });
    const mayStartNext = previous.catch(() => undefined).then(() => withinMs(result, slowCallMs));
    mayStartNext.catch(() => undefined);
    this.lastCalls.set(key, mayStartNext);
    try {
      return await result;
    } finally {
      if (this.lastCalls.get(key) === mayStartNext) this.lastCalls.delete(key);
    }
  }
}
