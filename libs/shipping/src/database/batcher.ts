import { firstOf } from './first-of.js';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Saved at import: a test may fake the timers later, which would stop the services. */
const soon = setImmediate;

/** If a batch takes longer, the next one starts beside it. */
const maxWaitMs = 200;

/**
 * Collects the items that are asked for while a batch runs, and runs them as the next batch. No item joins a batch that
 * runs already, so what a batch reads is newer than each of its requests.
 */
export class Batcher<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private isBusy = false;

  /**
   * @param run gives a result for each item, in their order; its error is that of each item
   * @param maxItems of a batch: no statement grows with the number of clients
   * @param isOfSome tells whether an error may be about some of the items only. Then each item runs alone
   */
  constructor(
    private readonly run: (items: Item[]) => Promise<Result[]>,
    private readonly maxItems = 100,
    private readonly isOfSome: (error: unknown) => boolean = () => false,
  ) {}

  join(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isBusy) this.gather();
    });
  }

  private gather(): void {
    this.isBusy = true;
    // Clients that were answered together ask again together. Two turns of the event loop let them join one batch.
    soon(() => soon(() => void this.serve(this.waiting.splice(0, this.maxItems))));
  }

  private async serve(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    await firstOf(this.answer(batch), maxWaitMs);
    this.isBusy = false;
    if (this.waiting.length > 0) this.gather();
  }

  private async answer(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      const items = new Set(batch.map(({ item }) => item));
      if (items.size > 1 && this.isOfSome(error))
        await Promise.all([...items].map((item) => this.answer(batch.filter((each) => each.item === item))));
      else for (const { reject } of batch) reject(error);
    }
  }
}
