import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

class Late extends Error {}
class Ended extends Late {}

/** A call that ends when it is told to. */
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

describe('calls that take turns', () => {
  it('come one after the other where they have something in common, and only there', async () => {
    const turns = new Turns<string>();
    const log: string[] = [];
    const [a, b, other] = [call(log, 'a'), call(log, 'b'), call(log, 'other')];
    const results = [turns.take('x', a.run), turns.take('x', b.run), turns.take('y', other.run)];

    other.end();
    await results[2];
    expect(log).toEqual(['a', 'other']);
    a.end();
    b.end();

    expect(await Promise.all(results)).toEqual(['a', 'b', 'other']);
  });

  it('go on after one that failed', async () => {
    const turns = new Turns<string>();
    const [a, b] = [call([], 'a'), call([], 'b')];
    const results = [turns.take('x', a.run), turns.take('x', b.run)];

    a.fail(new Late('too late'));
    b.end();

    await expect(results[0]).rejects.toThrow(Late);
    expect(await results[1]).toBe('b');
  });

  it('end together where one ends for a reason that is of all, and those who come later begin anew', async () => {
    const turns = new Turns<string>((error) => (error instanceof Late ? new Ended() : undefined));
    const log: string[] = [];
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => call(log, name)) as [Call, Call, Call, Call];
    const together = [turns.take('x', a.run), turns.take('x', b.run), turns.take('x', c.run)];

    a.fail(new Late('too late'));
    const outcomes = await Promise.allSettled(together);
    d.end();

    expect(outcomes).toEqual([
      { status: 'rejected', reason: new Late('too late') },
      { status: 'rejected', reason: new Ended() },
      { status: 'rejected', reason: new Ended() },
    ]);
    expect(await turns.take('x', d.run)).toBe('d');
    expect(log).toEqual(['a', 'd']);
  });

  it('are waited for, those included that come again as soon as they were served', async () => {
    const turns = new Turns<string>();
    const [failing, again] = [call([], 'failing'), call([], 'again')];
    const served = turns.take('x', failing.run).catch(() => turns.take('x', again.run));
    const settled = turns.settled('x').then(() => 'settled');

    failing.fail(new Late('too late'));
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(await Promise.race([settled, Promise.resolve('waits')])).toBe('waits');
    again.end();

    expect(await Promise.all([served, settled, turns.settled('y')])).toEqual(['again', 'settled', undefined]);
  });

  it('leave nothing behind', async () => {
    const turns = new Turns<string>();

    await Promise.all([turns.take('x', () => Promise.resolve(1)), turns.take('x', () => Promise.resolve(2))]);

    expect(turns).toHaveProperty('last', new Map());
  });
});

type Call = ReturnType<typeof call>;
