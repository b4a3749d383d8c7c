import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CallContext } from './call-context.js';

describe('a call context', () => {
  it('tells code which of several calls it is part of', async () => {
    const context = new CallContext<string>();
    const seen = await Promise.all(
      ['a', 'b'].map((call) => context.run(call, () => delay(1).then(() => context.get()))),
    );
    expect(seen).toEqual(['a', 'b']);
    expect(context.get()).toBeUndefined();
  });

  it('takes no time of other code when no call runs: what a call has left behind is part of no call', async () => {
    const context = new CallContext<string>();
    let left: Promise<unknown> | undefined;
    await context.run('a', async () => {
      left = delay(5).then(() => context.get());
    });
    expect(await left).toBeUndefined();
  });

  it('is left by a call that fails', async () => {
    const context = new CallContext<string>();
    const fails = context.run('a', () => Promise.reject(new Error('no')));
    await expect(fails).rejects.toThrow('no');
    expect(context.get()).toBeUndefined();
    expect(await context.run('b', async () => context.get())).toBe('b');
  });
});
