import { CallContext } from './call-context.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from './database.errors.js';
import { firstOf } from './first-of.js';

/** A connection may be silent for ever. A call that takes longer no longer holds up the next one. */
const patienceMs = 30_000;

/** Runs calls with the same key one after another, so that those that wait for one lock take one connection together. */
export class KeyedQueue {
  /** Settles when the last call is done, or has taken too long. */
  private readonly last = new Map<string, Promise<unknown>>();
  /** The keys of the calls in which this code runs. */
  private readonly inside = new CallContext<Set<string>>();
  /** By the key of a call that runs: the key for which a call inside of it waits. */
  private readonly waits = new Map<string, string>();

  /**
   * If the database is not available to a call, the calls that wait behind it fail at once. A lost race fails one call.
   * @throws TypeError for a call inside of one with the same key, which would wait for itself, also by way of others
   */
  async take<Result>(key: string, call: () => Promise<Result>): Promise<Result> {
    const outer = this.inside.get() ?? new Set();
    for (let next: string | undefined = key; next !== undefined; next = this.waits.get(next))
      if (outer.has(next))
        throw new TypeError(
          'A call inside of onChange waits for the change that it is part of: pass the manager.',
        );
    for (const each of outer) this.waits.set(each, key);
    const held = new Set(outer).add(key);
    const run = (): Promise<Result> =>
      this.inside.run(held, call).finally(() => {
        held.delete(key);
        // It may not have awaited the calls inside of it.
        this.waits.delete(key);
      });
    const previous = this.last.get(key) ?? Promise.resolve();
    const result = previous.then(run, (error: unknown) => {
      const isUnavailable = error instanceof DatabaseUnavailableError && error.contention !== 'race';
      if (isUnavailable || error instanceof OutcomeUnknownError) throw new DatabaseUnavailableError(error);
      return run();
    });
    const over = previous.catch(() => undefined).then(() => firstOf(result, patienceMs));
    over.catch(() => undefined);
    this.last.set(key, over);
    try {
      return await result;
    } finally {
      for (const each of outer) if (this.waits.get(each) === key) this.waits.delete(each);
      if (this.last.get(key) === over) this.last.delete(key);
    }
  }
}
