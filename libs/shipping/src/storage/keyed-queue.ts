import { firstOf } from './first-of.js';
import { onePerDataSource } from './one-per-data-source.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from './storage.errors.js';

/** A connection may be silent for ever. A call that has waited this long goes on. */
const patienceMs = 30_000;

/**
 * Runs calls with the same key one after the other, in the order they came. So the calls that wait for a lock in a
 * project take one connection, and not all that the host has.
 */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  /** If the database is not available to a call, the calls that wait behind it fail at once. */
  async take<Result>(key: string, call: () => Promise<Result>): Promise<Result> {
    const previous = this.last.get(key) ?? Promise.resolve();
    const turn = firstOf([previous], patienceMs).then(
      () => call(),
      (error: unknown) => {
        const isOfAll = error instanceof DatabaseUnavailableError || error instanceof OutcomeUnknownError;
        if (isOfAll) throw new DatabaseUnavailableError(error);
        return call();
      },
    );
    this.last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(key) === turn) this.last.delete(key);
    }
  }
}

export const queueOf = onePerDataSource(() => new KeyedQueue());
