/** Calls that have something in common, one after the other in the order they came. */
export class Turns<Common> {
  private readonly last = new Map<Common, Promise<unknown>>();

  /** @param endsAll for an error that those who wait would meet as well: what they get, now; else undefined */
  constructor(private readonly endsAll: (error: unknown) => Error | undefined = () => undefined) {}

  async take<Result>(common: Common, call: () => Promise<Result>): Promise<Result> {
    const previous = this.last.get(common) ?? Promise.resolve();
    const turn = previous.then(call, (error: unknown) => {
      const ofAll = this.endsAll(error);
      if (ofAll) throw ofAll;
      return call();
    });
    this.last.set(common, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(common) === turn) this.last.delete(common);
    }
  }

  /** Resolves when nobody waits any more, those included who ask again as soon as they were served. */
  async settled(common: Common): Promise<void> {
    while (this.last.has(common)) {
      await this.last.get(common)?.catch(() => undefined);
      await new Promise(setImmediate);
    }
  }
}
