import { AsyncLocalStorage } from 'node:async_hooks';
import { soon, withinMs } from './timers.js';

interface WaitingItem<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
  /** Runs a function in the async context of the call. */
  inContext: (work: () => void) => void;
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
  private isBusy = false;

  /**
   * @param run returns a result for each item, in the order of the items. If it rejects, every call of the batch
   * rejects.
   */
  constructor(
    private readonly run: (items: Item[]) => Promise<Result[]>,
    private readonly options: BatcherOptions = {},
  ) {}

  join(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject, inContext: AsyncLocalStorage.snapshot() });
      if (!this.isBusy) this.gather();
    });
  }

  private gather(): void {
    this.isBusy = true;
    // Clients that get their responses together send their next requests together. Two turns of the event loop let them
    // join one batch. It runs in the context of its first call, and not of a request that has ended.
    const begin = (): void => void this.serve(this.waiting.splice(0, this.options.maxItems ?? 100));
    this.waiting[0]?.inContext(() => soon(() => soon(begin)));
  }

  private async serve(batch: readonly WaitingItem<Item, Result>[]): Promise<void> {
    await withinMs(this.settle(batch), this.options.slowBatchMs ?? 200);
    this.isBusy = false;
    if (this.waiting.length > 0) this.gather();
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
