import { DatabaseUnavailableError } from './database.errors.js';
import { withinMs } from './within-ms.js';

/** Runs one piece of work after another, in the order of the calls. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * @param maxTurnWaitMs how long the work may wait for its turn
   * @throws DatabaseUnavailableError when it has waited longer; the work does not run
   */
  take<Result>(work: () => Promise<Result>, maxTurnWaitMs?: number): Promise<Result> {
    const { last } = this;
    const turn = (maxTurnWaitMs === undefined ? last : waitFor(last, maxTurnWaitMs)).then(work);
    // If this work waits too long, it does not run. The work before it still runs, so the next turn waits for both.
    this.last = Promise.allSettled([last, turn]).then(() => undefined);
    return turn;
  }

  /** Resolves when no work runs or waits, including work that is added during the wait. */
  async idle(): Promise<void> {
    for (let turn; turn !== this.last;) {
      turn = this.last;
      await turn;
    }
  }
}

/** Waits for the turn before. @throws DatabaseUnavailableError if that turn takes too long */
async function waitFor(last: Promise<unknown>, maxTurnWaitMs: number): Promise<void> {
  const ended = last.then(() => true);
  if (await withinMs(ended, maxTurnWaitMs)) return;
  const message =
    'The call waited too long for another call on its connection, or for its onChange or onEvent. In a TypeORM ' +
    'subscriber, call our services only for events of your own entities.';
  throw new DatabaseUnavailableError(new Error(message));
}
