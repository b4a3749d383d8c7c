interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** So that no statement grows with the number of clients. */
const maxItems = 100;

/**
 * Serves together those who ask while others are under way. A batch takes nobody more from the moment it is
 * run: what it reads, it reads after all of its items were asked for.
 */
export class Batches<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private underWay = 0;

  /** @param run gives a result for each item, in their order */
  constructor(
    private readonly run: (items: Item[]) => Promise<Result[]>,
    private readonly maxUnderWay: number,
  ) {}

  join(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.startNext();
    });
  }

  private startNext(): void {
    if (this.waiting.length === 0 || this.underWay === this.maxUnderWay) return;
    this.underWay++;
    // What else has arrived in this turn of the event loop comes along.
    setImmediate(() => void this.serve(this.waiting.splice(0, maxItems)));
  }

  private async serve(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.underWay--;
      this.startNext();
    }
  }
}
