import { DatabaseUnavailableError } from './database.errors.js';

/** Runs work one after another, in the order in which it came. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * @param maxWaitMs how long the work may wait for its turn
   * @throws DatabaseUnavailableError when it has waited longer; the work does not run
   */
  take<Result>(work: () => Promise<Result>, maxWaitMs?: number): Promise<Result> {
    const { last } = this;
    const turn = (maxWaitMs === undefined ? last : inTime(last, maxWaitMs)).then(work);
    // Work that has waited too long is not run, but the work before it still runs.
    this.last = Promise.allSettled([last, turn]).then(() => undefined);
    return turn;
  }
}

async function inTime(last: Promise<unknown>, maxWaitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const remedy =
        'The call waited too long for another call on its connection. Call ShippingModule with the manager of an event ' +
        'of TypeORM only for your own entities.';
      reject(new DatabaseUnavailableError(new Error(remedy)));
    }, maxWaitMs);
  });
  try {
    await Promise.race([last, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
