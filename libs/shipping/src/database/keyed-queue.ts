import { DatabaseUnavailableError, OutcomeUnknownError } from './database.errors.js';

/**
 * For the FROM of a statement that commits by itself: it fails soon (55P03) where it would have to wait for a lock.
 */
export const impatience = `set_config('lock_timeout', '50ms', true) AS impatience`;

/** Calls with the same key, one after the other in the order they came: one connection waits for them all. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  /** When the database was not available to a call, those that wait behind it fail at once. */
  async take<Result>(key: string, call: () => Promise<Result>): Promise<Result> {
    const previous = this.last.get(key) ?? Promise.resolve();
    const turn = previous.then(
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
