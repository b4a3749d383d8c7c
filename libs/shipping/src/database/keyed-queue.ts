import { DatabaseUnavailableError, OutcomeUnknownError } from './database.errors.js';
import { firstOf } from './first-of.js';

/** A connection may be silent for ever. A call that takes longer no longer holds up the next one. */
const maxWaitMs = 30_000;

/** Runs calls with the same key one after another. Calls that wait for one lock then use one connection, not one each. */
export class KeyedQueue {
  /** Settles when the last call is done, or has taken too long. */
  private readonly last = new Map<string, Promise<unknown>>();

  /** If the database is not available to a call, the calls that wait behind it fail at once. A lost race fails one call. */
  async take<Result>(key: string, call: () => Promise<Result>): Promise<Result> {
    const previous = this.last.get(key) ?? Promise.resolve();
    const result = previous.then(call, (error: unknown) => {
      const isUnavailable = error instanceof DatabaseUnavailableError && error.contention !== 'race';
      if (isUnavailable || error instanceof OutcomeUnknownError) throw new DatabaseUnavailableError(error);
      return call();
    });
    const over = previous.catch(() => undefined).then(() => firstOf(result, maxWaitMs));
    over.catch(() => undefined);
    this.last.set(key, over);
    try {
      return await result;
    } finally {
      if (this.last.get(key) === over) this.last.delete(key);
    }
  }
}
