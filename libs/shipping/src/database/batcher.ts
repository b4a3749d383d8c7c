import { AsyncLocalStorage } from 'node:async_hooks';
import { soon, withinMs } from './timers.js';

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** After this time the next batch starts, although the one before still runs. */
const slowBatchMs = 200;

/**
 * Collects the items of calls that arrive while a batch runs, and runs them as the next batch. Calls with the same item
 * share its result. An item never joins a batch that has started, so a result is never older than its call.
 */
export class Batcher<Item, Result> {
  private readonly waiting: WaitingItem<Item, Result>[] = [];
  /** The calls of the items that wait. */
  private readonly calls = new Map<Item, Promise<Result>>();
  private lastBatch: Promise<unknown> = Promise.resolve();
  /** A batch serves several calls, so it runs in the async context of none of them, but where the batcher was made. */
  private readonly serveOutside = AsyncLocalStorage.bind(() => this.serve());

  /**
   * @param run returns a result for each item, in the order of the items
   * @param maxItems the largest number of items in a batch, so that no statement grows with the number of clients
   */
  constructor(
    private readonly run: (items: Item[]) => Promise<Result[]>,
    private readonly maxItems: number,
  ) {}

  join(item: Item): Promise<Result> {
    const sameItem = this.calls.get(item);
    if (sameItem) return sameItem;
    const call = new Promise<Result>((resolve, reject) => {
      if (this.waiting.length % this.maxItems === 0) this.lastBatch = this.lastBatch.then(this.serveOutside);
      this.waiting.push({ item, resolve, reject });
    });
    this.calls.set(item, call);
    return call;
  }

  private async serve(): Promise<void> {
    // Clients that get their responses together send their next requests together. Two turns of the event loop let them
    // join one batch.
    await new Promise((gathered) => soon(() => soon(gathered)));
    const batch = this.waiting.splice(0, this.maxItems);
    for (const { item } of batch) this.calls.delete(item);
    await withinMs(this.settle(batch), slowBatchMs);
  }

  private async settle(batch: readonly WaitingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
