interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface Settings<Item> {
  /** How many batches may be under way. */
  atOnce?: number;
  /** A key's items are in one batch at a time, as long as that does not hang; undefined: an item has none. */
  keyOf?: (item: Item) => string | undefined;
}

/** So that no statement grows with the number of clients. */
const maxItems = 100;

/** A batch that takes longer does not hold up those who come after it, of its own keys neither. */
const patienceMs = 200;

/**
 * Serves together those who ask while others are served. A batch takes nobody more from the moment it is
 * run: what it reads, it reads after all of its items were asked for.
 */
export class Batches<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private readonly busyKeys = new Set<string | undefined>();
  private readonly atOnce: number;
  private readonly keyOf: (item: Item) => string | undefined;
  private underWay = 0;
  private isGathering = false;

  /** @param run gives a result for each item, in their order */
  constructor(
    private readonly run: (items: Item[]) => Promise<Result[]>,
    { atOnce = 1, keyOf = () => undefined }: Settings<Item> = {},
  ) {
    this.atOnce = atOnce;
    this.keyOf = keyOf;
  }

  join(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.isFree(item)) this.gather();
    });
  }

  private gather(): void {
    if (this.isGathering || this.underWay >= this.atOnce) return;
    this.isGathering = true;
    // Clients that were answered together ask again together: what arrives in two turns of the event loop comes along.
    setImmediate(() => setImmediate(() => void this.serve(this.take())));
  }

  private take(): Waiting<Item, Result>[] {
    const free = this.waiting.filter(({ item }) => this.isFree(item)).slice(0, maxItems);
    const taken = new Set(free);
    this.waiting = this.waiting.filter((waiting) => !taken.has(waiting));
    this.isGathering = false;
    return free;
  }

  private async serve(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const keys = batch.map(({ item }) => this.keyOf(item)).filter((key) => key !== undefined);
    for (const key of keys) this.busyKeys.add(key);
    this.underWay++;
    const leave = once(() => {
      this.underWay--;
      for (const key of keys) this.busyKeys.delete(key);
      this.goOn();
    });
    const patience = setTimeout(leave, patienceMs);
    this.goOn();
    try {
      const results = await this.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(patience);
      leave();
    }
  }

  private goOn(): void {
    if (this.waiting.some(({ item }) => this.isFree(item))) this.gather();
  }

  private isFree(item: Item): boolean {
    return !this.busyKeys.has(this.keyOf(item));
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
