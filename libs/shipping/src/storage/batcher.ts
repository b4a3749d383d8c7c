import { ShippingException } from '../shipping.exception.js';
import { firstOf } from './first-of.js';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Taken when the module is loaded: a test that fakes timers later does not stop the services. */
const soon = setImmediate;

/** So that no statement grows with the number of clients. */
const maxItems = 100;

/** A batch that takes longer does not hold up those who come after it. */
const patienceMs = 200;

/**
 * Serves together those who ask while others are served, one batch at a time. A batch takes nobody more from
 * the moment it is run: what it reads, it reads after all of its items were asked for.
 */
export class Batcher<Item, Result> {
  private readonly waiting: Waiting<Item, Result>[] = [];
  private isBusy = false;

  /** @param run gives a result for each item, in their order */
  constructor(private readonly run: (items: Item[]) => Promise<Result[]>) {}

  join(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isBusy) this.gather();
    });
  }

  private gather(): void {
    this.isBusy = true;
    // Clients that were answered together ask again together: what arrives in two turns of the event loop comes along.
    soon(() => soon(() => void this.serve(this.waiting.splice(0, maxItems))));
  }

  private async serve(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    await firstOf([this.answer(batch)], patienceMs);
    this.isBusy = false;
    if (this.waiting.length > 0) this.gather();
  }

  /** A batch that the database refuses has changed nothing: it is run in halves, until whom it refuses is alone. */
  private async answer(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || error instanceof ShippingException) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await this.answer(batch.slice(0, half));
      await this.answer(batch.slice(half));
    }
  }
}
