import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batcher } from './batcher.js';

const batcherOf = <Item, Result>(run: (items: Item[]) => Promise<Result[]>): Batcher<Item, Result> =>
  new Batcher(run, 100);

describe('a batcher', () => {
  // The tests decide when the wait for a batch ends.
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => vi.useRealTimers());

  it('runs one batch at a time, and collects new items for the next one', async () => {
    const served: number[][] = [];
    const batcher = batcherOf<number, number>(async (items) => {
      served.push(items);
      if (items.includes(1)) for (const item of [3, 4, 5]) void batcher.join(item);
      return items.map((item) => item * 10);
    });
    expect(await Promise.all([batcher.join(1), batcher.join(2)])).toEqual([10, 20]);
    expect(await batcher.join(6)).toBe(60);
    expect(served).toEqual([
      [1, 2],
      [3, 4, 5, 6],
    ]);
  });

  it('gives each item its result, and asks once for two equal items', async () => {
    const run = vi.fn<(items: number[]) => Promise<number[]>>((items) =>
      Promise.resolve(items.map((item) => item * 10)),
    );
    const batcher = batcherOf(run);
    expect(await Promise.all([1, 1, 2].map((item) => batcher.join(item)))).toEqual([10, 10, 20]);
    expect(run.mock.calls).toEqual([[[1, 2]]]);
  });

  it('gives an item a result of the next batch, if a batch with the same item has started', async () => {
    let batches = 0;
    let later: Promise<number> | undefined;
    const batcher = batcherOf<string, number>(() => {
      later ??= batcher.join('a');
      return Promise.resolve([++batches]);
    });

    expect(await batcher.join('a')).toBe(1);
    expect(await later).toBe(2);
  });

  it('runs each batch outside of the async contexts of its calls', async () => {
    const requests = new AsyncLocalStorage<number>();
    const contexts: unknown[] = [];
    const calls: Promise<number>[] = [];
    const join = (item: number): void => void requests.run(item, () => calls.push(batcher.join(item)));
    const batcher = batcherOf<number, number>((items) => {
      contexts.push([items, requests.getStore()]);
      const [next = 0] = items;
      if (next < 3) join(next + 1);
      return Promise.resolve(items);
    });

    join(1);
    await calls[0];
    await Promise.all(calls);
    await turns(9);

    expect(contexts).toEqual([
      [[1], undefined],
      [[2], undefined],
      [[3], undefined],
    ]);
  });

  it('makes batches of at most 100 items', async () => {
    const sizes: number[] = [];
    const batcher = batcherOf<number, number>((items) => {
      sizes.push(items.length);
      return Promise.resolve(items);
    });
    await Promise.all(Array.from({ length: 250 }, (_, item) => batcher.join(item)));
    expect(sizes).toEqual([100, 100, 50]);
  });

  it('does not wait for a batch that hangs', async () => {
    const batcher = batcherOf<string, string>((items) =>
      items.includes('hangs') ? new Promise(() => {}) : Promise.resolve(items),
    );
    void batcher.join('hangs');
    await turns(3);
    const later = batcher.join('later');
    vi.runOnlyPendingTimers();
    expect(await later).toBe('later');
  });

  it('runs one batch at a time after a slow batch has ended late', async () => {
    let most = 0;
    let running = 0;
    const ends: (() => void)[] = [];
    const batcher = batcherOf<string, string>(async (items) => {
      most = Math.max(most, ++running);
      if (items.includes('slow')) await new Promise<void>((resolve) => ends.push(resolve));
      else await turns(8);
      running--;
      return items;
    });
    const slow = batcher.join('slow');
    await turns(4);
    const meanwhile = batcher.join('meanwhile');
    vi.runOnlyPendingTimers();
    expect(await meanwhile).toBe('meanwhile');
    for (const end of ends) end();
    expect(await slow).toBe('slow');
    most = 0;
    const served = ['a', 'b', 'c', 'd'].map(async (item, index) => {
      await turns(4 * index);
      return batcher.join(item);
    });
    expect(await Promise.all(served)).toEqual(['a', 'b', 'c', 'd']);
    expect(most).toBe(1);
  });

  it('gives the error of a batch to its items, and runs the next batch', async () => {
    const error = new Error('gone');
    const run = vi.fn<(items: string[]) => Promise<string[]>>(() => Promise.reject(error));
    const batcher = batcherOf(run);
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => batcher.join(item)));
    const rejected = { status: 'rejected', reason: error };
    expect(outcomes).toEqual([rejected, rejected, rejected]);
    run.mockResolvedValue(['d']);
    expect(await batcher.join('d')).toBe('d');
    expect(run).toHaveBeenCalledTimes(2);
  });
});

/** Waits for turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
