import { CallContext } from './call-context.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from './database.errors.js';
import { firstOf } from './first-of.js';

/** A connection may be silent for ever. A call that takes longer no longer holds up the next one. */
const patienceMs = 30_000;

/** A call that runs. */
interface Running {
  key: string;
  isOver: boolean;
}

/** Runs calls with the same key one after another, so that those that wait for one lock take one connection together. */
export class KeyedQueue {
  /** Settles when the last call is done, or has taken too long. */
  private readonly last = new Map<string, Promise<unknown>>();
  /** The calls in which this code runs, outermost first. */
  private readonly inside = new CallContext<readonly Running[]>();
  /** What calls that run wait for: the key of a call inside of them. */
  private readonly waits = new Set<{ by: Running; key: string }>();

  /**
   * If the database is not available to a call, the calls that wait behind it fail at once. A lost race fails one call.
   * @throws TypeError for a call inside of one with the same key, which would wait for itself, also by way of others
   */
  async take<Result>(key: string, call: () => Promise<Result>): Promise<Result> {
    // A call may have left this code behind.
    const outer = this.inside.get()?.filter(({ isOver }) => !isOver) ?? [];
    if (this.leadsTo(outer, key))
      throw new TypeError(
        'A call inside of onChange waits for the change that it is part of: pass the manager.',
      );
    const waits = outer.map((by) => ({ by, key }));
    for (const wait of waits) this.waits.add(wait);
    const running: Running = { key, isOver: false };
    const run = (): Promise<Result> =>
      this.inside.run([...outer, running], call).finally(() => {
        running.isOver = true;
        // It may not have awaited the calls inside of it.
        for (const wait of this.waits) if (wait.by === running) this.waits.delete(wait);
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
      for (const wait of waits) this.waits.delete(wait);
      if (this.last.get(key) === over) this.last.delete(key);
    }
  }

  /** Whether who waits for the key waits for one of the calls, also by way of others. */
  private leadsTo(calls: readonly Running[], key: string): boolean {
    if (calls.length === 0) return false;
    if (calls.some((call) => call.key === key)) return true;
    return [...this.waits].some((wait) => wait.by.key === key && this.leadsTo(calls, wait.key));
  }
}
