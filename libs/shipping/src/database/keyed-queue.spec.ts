import { describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailableError, OutcomeUnknownError } from './database.errors.js';
import { KeyedQueue } from './keyed-queue.js';

/** A call that ends when the test says so. */
function call(log: string[], name: string) {
  let end = (): void => undefined;
  let fail = (_error: Error): void => undefined;
  const ended = new Promise<string>((resolve, reject) => {
    end = () => resolve(name);
    fail = reject;
  });
  const run = (): Promise<string> => {
    log.push(name);
    return ended;
  };
  return { run, end: () => end(), fail: (error: Error) => fail(error) };
}

describe('calls in a keyed queue', () => {
  it('run one after another when they have the same key, and only then', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const [a, b, other] = [call(log, 'a'), call(log, 'b'), call(log, 'other')];
    const results = [queue.take('x', a.run), queue.take('x', b.run), queue.take('y', other.run)];

    other.end();
    await results[2];
    expect([log, queue.waiting]).toEqual([['a', 'other'], 1]);
    a.end();
    b.end();

    expect(await Promise.all(results)).toEqual(['a', 'b', 'other']);
    expect(queue.waiting).toBe(0);
  });

  it.each([new Error('refused'), new DatabaseUnavailableError('lost', 'race')])(
    'go on after a call that failed with %s',
    async (error) => {
      const queue = new KeyedQueue();
      const [a, b] = [call([], 'a'), call([], 'b')];
      const results = [queue.take('x', a.run), queue.take('x', b.run)];

      a.fail(error);
      b.end();

      await expect(results[0]).rejects.toBe(error);
      expect(await results[1]).toBe('b');
    },
  );

  it.each([
    new DatabaseUnavailableError('down'),
    new DatabaseUnavailableError('time-out', 'lock'),
    new OutcomeUnknownError('down'),
  ])('fail together with the call before them after %s, and later calls run again', async (unavailable) => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => call(log, name)) as [Call, Call, Call, Call];
    const waiting = [queue.take('x', a.run), queue.take('x', b.run), queue.take('x', c.run)];

    a.fail(unavailable);
    const outcomes = await Promise.allSettled(waiting);
    d.end();

    // Their errors say the same about the database.
    const { contention, cause } = Object(unavailable) as DatabaseUnavailableError;
    const behind = { reason: { code: 'database_unavailable', contention, cause } };
    expect(outcomes).toMatchObject([{ reason: unavailable }, behind, behind]);
    expect(await queue.take('x', d.run)).toBe('d');
    expect(log).toEqual(['a', 'd']);
  });

  it('start one every half minute while the calls before them hang', async () => {
    vi.useFakeTimers();
    const queue = new KeyedQueue();
    const log: string[] = [];
    const calls = ['a', 'b', 'c', 'd'].map((name) => call(log, name));
    const results = calls.map(({ run }) => queue.take('x', run));
    const begun: string[][] = [];

    for (let minute = 0; minute < 1.5; minute += 0.5) {
      await vi.advanceTimersByTimeAsync(29_000);
      begun.push([...log]);
      await vi.advanceTimersByTimeAsync(1000);
    }
    for (const { end } of calls) end();

    expect(begun).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c']]);
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
    vi.useRealTimers();
  });
});

type Call = ReturnType<typeof call>;
