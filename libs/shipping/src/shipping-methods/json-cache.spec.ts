import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CachedJson, JsonCache } from './json-cache.js';
import { Batcher } from '../storage/batcher.js';

const operation = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('list', 'tree').map((name) => ({ name })) },
  { weight: 1, arbitrary: fc.constant({ name: 'write' }) },
);

/** A project in a database. The scheduler decides when each query reads, and when its result arrives. */
class Project {
  revision = 1;
  readonly cache: JsonCache;

  constructor(
    private readonly scheduler: fc.Scheduler,
    maxBytes: number,
  ) {
    const lookUps = new Batcher<string, string>((projects) =>
      this.query(() => projects.map(() => String(this.revision))),
    );
    this.cache = new JsonCache((project) => lookUps.join(project), maxBytes);
  }

  read(name: string): Promise<CachedJson> {
    return this.cache.get('shop', name, () => this.query(() => this.json()));
  }

  private json(): CachedJson {
    return { revision: String(this.revision), body: Buffer.from(String(this.revision)) };
  }

  private async query<Result>(read: () => Result): Promise<Result> {
    await this.scheduler.schedule(Promise.resolve(), 'the database reads');
    const result = read();
    await this.scheduler.schedule(Promise.resolve(), 'the result arrives');
    return result;
  }
}

describe('JSON in the cache', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['with room for all', 1_000_000],
    ['with room for one', 5000],
    ['with no room', 0],
  ])('is never older than the last write before the read, %s', async (_room, maxBytes) => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(operation, { minLength: 4, maxLength: 24 }),
        async (s, operations) => {
          // The scheduler also decides when the timers fire.
          for (const timer of ['setImmediate', 'setTimeout']) {
            vi.stubGlobal(timer, (act: () => void) => {
              void s.schedule(Promise.resolve(), timer).then(act);
            });
          }
          const project = new Project(s, maxBytes);

          const running = operations.map(async ({ name }) => {
            await s.schedule(Promise.resolve(), `${name} begins`);
            if (name === 'write') {
              project.revision++;
              return;
            }
            const written = project.revision;
            const { revision, body } = await project.read(name);
            expect(Number(body)).toBeGreaterThanOrEqual(written);
            expect(String(body)).toBe(revision);
          });

          await s.waitFor(Promise.all(running));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is made once for all simultaneous reads', async () => {
    let made = 0;
    const cache = new JsonCache(() => Promise.resolve('1'), 1_000_000);
    const make = async (): Promise<CachedJson> => {
      made++;
      await Promise.resolve();
      return { revision: '1', body: Buffer.from('made') };
    };

    const all = await Promise.all(Array.from({ length: 100 }, () => cache.get('shop', 'list', make)));

    expect(made).toBe(1);
    expect(new Set(all.map(({ body }) => String(body)))).toEqual(new Set(['made']));
  });

  it('is made again, after longer and longer waits, while no result arrives', async () => {
    const patience: { isOver: () => void; ms: number }[] = [];
    vi.stubGlobal('setTimeout', (isOver: () => void, ms: number) => patience.push({ isOver, ms }));
    const cache = new JsonCache(() => Promise.resolve('1'), 1_000_000);
    const arrive: ((answer: CachedJson) => void)[] = [];
    const made = vi.fn<() => Promise<CachedJson>>(() => new Promise((resolve) => arrive.push(resolve)));
    const ask = (): Promise<CachedJson> => cache.get('shop', 'list', made);

    const asked = Array.from({ length: 50 }, ask);
    for (let time = 0; time < 3; time++) {
      patience.at(-1)?.isOver();
      await new Promise(setImmediate);
      asked.push(ask());
      expect(made).toHaveBeenCalledTimes(time + 2);
    }
    arrive.at(-2)?.({ revision: '1', body: Buffer.from('made') });

    const bodies = (await Promise.all(asked)).map(({ body }) => String(body));
    expect(new Set(bodies)).toEqual(new Set(['made']));
    expect(patience.map(({ ms }) => ms)).toEqual([5000, 10_000, 20_000, 40_000]);
  });

  it('is made again when it could not be made', async () => {
    const cache = new JsonCache(() => Promise.resolve('1'), 1_000_000);
    const failed = cache.get('shop', 'list', () => Promise.reject(new Error('no database')));
    await expect(failed).rejects.toThrow('no database');

    const { body } = await cache.get('shop', 'list', () =>
      Promise.resolve({ revision: '1', body: Buffer.from('made') }),
    );

    expect(String(body)).toBe('made');
  });

  it('takes no more than maxBytes over many queries, and stays while it is in use', async () => {
    const maxBytes = 8_000_000;
    let madeAgain = 0;
    const cache = new JsonCache(() => Promise.resolve('1'), maxBytes);
    const answer = (): Promise<CachedJson> =>
      Promise.resolve({ revision: '1', body: Buffer.allocUnsafeSlow(1000) });
    const before = liveMemory();

    for (let query = 0; query < queries; query++) {
      await cache.get('shop', `?page=${query}`, answer);
      if (query % 1000 === 0) await cache.get('shop', '', () => (madeAgain++, answer()));
    }

    const cachedBytes = liveMemory() - before;
    await cache.get('shop', '', () => (madeAgain++, answer()));
    expect(madeAgain).toBe(1);
    expect(cachedBytes).toBeGreaterThan(maxBytes / 2);
    expect(cachedBytes).toBeLessThan(maxBytes);
  });

  it('is not evicted for an entry that would take more than its share', async () => {
    const cache = new JsonCache(() => Promise.resolve('1'), 8000);
    const answer = (bytes: number) => (): Promise<CachedJson> =>
      Promise.resolve({ revision: '1', body: Buffer.alloc(bytes) });
    const small = Array.from({ length: 8 }, (_, n) => `${n}`);
    for (const name of small) await cache.get('shop', name, answer(400));

    await cache.get('shop', 'large', answer(600));
    const made = vi.fn<() => Promise<CachedJson>>(answer(400));
    for (const name of small) await cache.get('shop', name, made);
    expect(made).not.toHaveBeenCalled();
    await cache.get('shop', 'large', made);
    expect(made).toHaveBeenCalledOnce();
  });

  it('is counted with its name', async () => {
    const cache = new JsonCache(() => Promise.resolve('1'), 100_000);
    const made = vi.fn<() => Promise<CachedJson>>(() =>
      Promise.resolve({ revision: '1', body: Buffer.alloc(0) }),
    );
    const names = Array.from({ length: 40 }, (_, n) => `${n}`.padStart(2000, ' '));
    for (const name of [...names, ...names]) await cache.get('shop', name, made);
    expect(made).toHaveBeenCalledTimes(80);
  });

  it('does not come back when it was evicted while it was made', async () => {
    const current = { revision: '2', body: Buffer.from('current') };
    const cache = new JsonCache(() => Promise.resolve('2'), 8000);
    let arrive = (_json: CachedJson): void => undefined;
    const slow = cache.get('shop', 'list', () => new Promise((resolve) => (arrive = resolve)));
    for (let n = 0; n < 20; n++) await cache.get('shop', `${n}`, () => Promise.resolve(current));
    await cache.get('shop', 'list', () => Promise.resolve(current));
    arrive({ revision: '1', body: Buffer.from('older') });
    await slow;

    const made = vi.fn<() => Promise<CachedJson>>(() => Promise.resolve(current));
    const { body } = await cache.get('shop', 'list', made);

    expect(String(body)).toBe('current');
    expect(made).not.toHaveBeenCalled();
  });
});

const queries = Number(process.env['DISTINCT_QUERIES'] ?? 100_000);

/** The bytes of all bodies in memory. */
function liveMemory(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // The second collection releases what the first one has freed.
  collect();
  return process.memoryUsage().arrayBuffers;
}
