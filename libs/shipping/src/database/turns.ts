/** How long a turn lasts at most if a subscriber of the host waits, or the server does not respond. */
export const maxTurnMs = 5_000;

/** Runs one piece of work after another, in the order of the calls. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private unfinished = 0;

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    this.unfinished++;
    const turn = this.last.then(work);
    const finish = (): void => void this.unfinished--;
    this.last = turn.then(finish, finish);
    return turn;
  }

  /** Takes a turn when all other work is done, with the work that comes meanwhile. */
  async takeLast<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.unfinished > 0) await this.last;
    return this.take(work);
  }
}
