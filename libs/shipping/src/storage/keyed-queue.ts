import { firstOf } from './first-of.js';
import { onePerDataSource } from './one-per-data-source.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from './storage.errors.js';

/** A connection may be silent for ever. A call that takes longer does not hold up the next one any more. */
const patienceMs = 30_000;

/** Runs calls with the same key one after the other. So those that wait for one lock take one connection together. */
export class KeyedQueue {
  /** Settles when the last call is done, or has taken too long. */
  private readonly last = new Map<string, Promise<unknown>>();

  /** If the database is not available to a call, the calls that wait behind it fail at once. A lost race fails one call. */
  async take<Result>(key: string, call: (hasWaited: boolean) => Promise<Result>): Promise<Result> {
    const hasWaited = this.last.has(key);
    const previous = this.last.get(key) ?? Promise.resolve();
    const begin = (): Promise<Result> => call(hasWaited);
    const result = previous.then(begin, (error: unknown) => {
      const isUnavailable = error instanceof DatabaseUnavailableError && error.contention !== 'race';
      if (isUnavailable || error instanceof OutcomeUnknownError) throw new DatabaseUnavailableError(error);
      return begin();
    });
    const begun = previous.catch(() => undefined);
    const over = begun.then(() => firstOf([result], patienceMs));
    over.catch(() => undefined);
    this.last.set(key, over);
    try {
      return await result;
    } finally {
      if (this.last.get(key) === over) this.last.delete(key);
    }
  }
}

export const queueOf = onePerDataSource(() => new KeyedQueue());
