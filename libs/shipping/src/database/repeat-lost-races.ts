import { setTimeout as delay } from 'node:timers/promises';
import { toShippingError } from './driver-errors.js';
import { isLostRace } from './database.errors.js';

/** Options of {@link repeatLostRaces}. */
export interface RepeatOptions {
  /**
   * How often the work runs at most, an integer from 1.
   * @default 5
   */
  tries?: number | undefined;
}

/**
 * Runs a transaction, and runs it again if another transaction won: after a deadlock, a serialization failure or a
 * `DatabaseUnavailableError` with `contention: 'race'`. Before each repeat it waits for a short random time, so that the
 * same transactions do not meet again. It repeats after no other error: not after a lock time-out, and not if nobody
 * knows whether the transaction was committed.
 *
 * The work must be the whole transaction, because a race that is lost ends it. So pass a function that begins a
 * transaction, and not a function that runs inside of one. What the work does outside of the database happens again.
 * @param work begins a transaction, with TypeORM, nestjs-cls or typeorm-transactional
 * @returns what the work returns
 * @throws TypeError if `tries` is not an integer from 1
 * @throws the error of the last try, as `toShippingError()` returns it
 * @example
 * await repeatLostRaces(() => dataSource.transaction((manager) => placeOrder(manager, order)), { tries: 3 });
 */
export async function repeatLostRaces<Result>(
  work: () => Promise<Result>,
  { tries = 5 }: RepeatOptions = {},
): Promise<Result> {
  if (!Number.isInteger(tries) || tries < 1)
    throw new TypeError('The option "tries" must be an integer from 1.');
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const typed = toShippingError(error);
      if (!isLostRace(typed) || attempt === tries) throw typed;
    }
    // Transactions of hosts may be long, so the waits grow faster than between the tries of our own short calls.
    await delay(Math.random() * Math.min(25 * 2 ** attempt, 1_000));
  }
}
