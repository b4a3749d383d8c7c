import { soon, withinMs } from './timers.js';

interface WaitingItem<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface BatcherOptions {
  /** The largest number of items in a batch, so that no statement grows with the number of clients. By default 100. */
  maxItems?: number;
  /** After this time the next batch starts, although the one before still runs. By default 200. */
  slowBatchMs?: number;
  /** Tells whether an error may concern only one item of a batch. Then each item runs alone. */
  mayConcernOneItem?: (error: unknown) => boolean;
}

/**
 * Collects the items of calls that arrive while a batch runs, and runs them as the next batch. An item never joins a
 * batch that has started, so a result is never older than its call.
 */
export class Batcher<Item, Result> {
  private readonly waiting: WaitingItem<Item, Result>[] = [];
  private readonly maxItems: number;
  private lastBatch: Promise<unknown> = Promise.resolve();

  /**
   * @param run returns a result for each item, in the order of the items. If it rejects, every call of the batch
   *   rejects.
   */
  constructor(
    private readonly run: (items: Item[]) => Promise<Result[]>,
    private readonly options: BatcherOptions = {},
  ) {
    this.maxItems = options.maxItems ?? 100;
  }

  join(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      // The first call of each batch waits for the batch before. So a batch runs in the async context of its first call.
      if (this.waiting.length % this.maxItems === 0) this.lastBatch = this.lastBatch.then(() => this.serve());
      this.waiting.push({ item, resolve, reject });
    });
  }

  private async serve(): Promise<void> {
    // Clients that get their responses together send their next requests together. Two turns of the event loop let them
    // join one batch.
    await new Promise((gathered) => soon(() => soon(gathered)));
    await withinMs(this.settle(this.waiting.splice(0, this.maxItems)), this.options.slowBatchMs ?? 200);
  }

  private async settle(batch: readonly WaitingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      const items = new Set(batch.map(({ item }) => item));
      if (items.size > 1 && this.options.mayConcernOneItem?.(error))
        await Promise.all([...items].map((item) => this.settle(batch.filter((each) => each.item === item))));
      else for (const { reject } of batch) reject(error);
    }
  }
}
