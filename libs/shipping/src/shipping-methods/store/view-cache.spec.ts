import { beforeEach, describe, expect, it } from 'vitest';
import { MethodView, type Revisions } from '../method-view.js';
import { type Rendering } from '../../http/response.js';
import { methodSet } from '../stored-method.sample.js';
import { ViewCache } from './view-cache.js';

/** A promise, and the functions that settle it. */
interface Pending<Result> {
  promise: Promise<Result>;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
}

function pending<Result>(): Pending<Result> {
  let settle: Omit<Pending<Result>, 'promise'> | undefined;
  const promise = new Promise<Result>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (!settle) throw new Error('The executor of a promise runs at once.');
  return { promise, ...settle };
}

const viewAt = (revision: string, projectId = 'shop', count = 1): MethodView =>
  new MethodView(
    methodSet(
      Array.from({ length: count }, (_, index) => ({ method_code: `m${index}` })),
      projectId,
      revision,
    ),
  );

const rendered = (text: string): Rendering => ({
  etag: '"1"',
  json: Buffer.from(text),
});

/** Waits until all promises that can settle have settled. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A database that responds when the test says so. Each response has the state of the database at that moment. */
class Database {
  readonly revisions = new Map<string, string>();
  readonly revisionQueries: (Pending<Revisions> & { projectId: string })[] = [];
  readonly readings: (Pending<MethodView> & { projectId: string })[] = [];
  readonly cache: ViewCache;

  constructor(maxBytes = 1_000_000) {
    this.cache = new ViewCache(
      (projectId) => {
        const lookUp = { ...pending<Revisions>(), projectId };
        this.revisionQueries.push(lookUp);
        return lookUp.promise;
      },
      (projectId) => {
        const reading = { ...pending<MethodView>(), projectId };
        this.readings.push(reading);
        return reading.promise;
      },
      maxBytes,
    );
  }

  /** Responds to the look-ups that were sent. */
  look(): void {
    for (const { projectId, resolve } of this.revisionQueries.splice(0))
      resolve({ project: this.revisions.get(projectId), defaults: undefined });
  }

  /** Tells whether the cache has a view of this project. A call then looks up the revision, and reads nothing. */
  hasCached(projectId: string): boolean {
    const sent = this.revisionQueries.length;
    void this.cache.get(projectId);
    return this.revisionQueries.length > sent;
  }

  /** Responds to the oldest reading. */
  read(): MethodView {
    const reading = this.readings.shift();
    if (!reading) throw new Error('Nothing is being read.');
    const view = viewAt(this.revisions.get(reading.projectId) ?? '', reading.projectId);
    reading.resolve(view);
    return view;
  }
}

/** Returns an object for the result of a call. It is empty until the call has ended. */
function resultOf(call: Promise<MethodView>): { revision?: string | undefined } {
  const result: { revision?: string | undefined } = {};
  call.then(
    (view) => (result.revision = view.revision),
    () => (result.revision = 'an error'),
  );
  return result;
}

let database: Database;
beforeEach(() => {
  database = new Database();
  database.revisions.set('shop', '1');
});

describe('a view in the cache', () => {
  it('is served after a look-up that was sent after the call', async () => {
    const view = viewAt('1');
    database.cache.put(view);

    const call = database.cache.get('shop');
    const result = resultOf(call);
    await settled();
    expect([result.revision, database.revisionQueries.length]).toEqual([undefined, 1]);
    database.look();

    expect(await call).toBe(view);
    expect(database.readings).toEqual([]);
  });

  it('is read again when its project has another revision', async () => {
    database.cache.put(viewAt('0'));

    const call = database.cache.get('shop');
    database.look();
    await settled();
    const fresh = database.read();

    expect(await call).toBe(fresh);
    const next = database.cache.get('shop');
    database.look();
    expect(await next).toBe(fresh);
  });

  it('is not served when the look-up fails', async () => {
    database.cache.put(viewAt('1'));

    const call = database.cache.get('shop');
    database.revisionQueries[0]?.reject(new Error('The database is down.'));

    await expect(call).rejects.toThrow('The database is down.');
    expect(database.readings).toEqual([]);
  });
});

describe('the memory of the cache', () => {
  const { bytes } = viewAt('1');
  /** Three quarters of the cache are for views. */
  const maxBytesFor = (views: number): number => Math.ceil((views * bytes * 4) / 3);
  const project = (index: number): string => `p${index}`;

  it('is bounded in bytes: the least recently used views go first', () => {
    const bounded = new Database(maxBytesFor(10));
    const { cache } = bounded;

    for (let index = 0; index < 10; index++) cache.put(viewAt('1', project(index)));
    cache.put(viewAt('2', project(0)));
    for (let index = 10; index < 15; index++) cache.put(viewAt('1', project(index)));

    const cached = Array.from({ length: 15 }, (_, index) => index).filter((index) =>
      bounded.hasCached(project(index)),
    );
    expect(cached).toEqual([0, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('holds no view that is too large, and no older view of the same project', () => {
    const bounded = new Database(maxBytesFor(2));
    bounded.cache.put(viewAt('1'));

    bounded.cache.put(viewAt('2', 'shop', 100));

    expect(bounded.hasCached('shop')).toBe(false);
  });

  it('keeps renderings in a quarter of the bytes, removes the least recently used first, and keeps the views', () => {
    const bounded = new Database(200_000);
    const view = viewAt('1');
    bounded.cache.put(view);
    const names = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(20));
    for (const name of names) bounded.cache.rendering(view, name, () => rendered('x'.repeat(1_000)));
    bounded.cache.rendering(view, 'too large', () => rendered('x'.repeat(50_000)));

    let made = 0;
    for (const name of names.toReversed())
      bounded.cache.rendering(view, name, () => {
        made += 1;
        return rendered('');
      });

    // Each of them takes its 1,000 bytes, its key, and 500 bytes.
    const key = `shop ${view.tag} ${names[0]}`;
    expect(names.length - made).toBe(Math.floor(50_000 / (1_500 + 2 * key.length)));
    expect(bounded.hasCached('shop')).toBe(true);
    expect(bounded.cache.stats().bytes).toBeLessThanOrEqual(view.bytes + 50_000);
  });
});

describe('the statistics of the cache', () => {
  it('counts calls that are served from memory, and those that read', async () => {
    const first = database.cache.get('shop');
    database.read();
    await first;
    const warm = database.cache.get('shop');
    database.look();
    await warm;
    database.revisions.set('shop', '2');
    const stale = database.cache.get('shop');
    database.look();
    await settled();
    const view = database.read();
    await stale;

    expect(database.cache.stats()).toEqual({ bytes: view.bytes, projects: 1, hits: 1, misses: 2 });
  });

  it('includes the bytes of the JSON', () => {
    const view = viewAt('1');
    database.cache.put(view);

    database.cache.rendering(view, 'tree', () => rendered('x'.repeat(1000)));

    const { bytes } = database.cache.stats();
    expect(bytes).toBeGreaterThan(view.bytes + 1000);
    expect(bytes).toBeLessThan(view.bytes + 2000);
  });
});

describe('a rendering', () => {
  const made: string[] = [];
  const render = (view: MethodView, name: string): string =>
    String(
      database.cache.rendering(view, name, () => {
        made.push(`${view.projectId} ${view.revision} ${name}`);
        return rendered(String(made.length));
      }).json,
    );

  it('is made once for each view and name', () => {
    const views = [viewAt('1'), viewAt('1', 'other')];
    for (const view of views) database.cache.put(view);

    const texts = views.map((view) => [render(view, 'tree'), render(view, 'tree'), render(view, '?q=a')]);

    expect(texts).toEqual([
      ['1', '1', '2'],
      ['3', '3', '4'],
    ]);
    expect(made).toEqual(['shop 1 tree', 'shop 1 ?q=a', 'other 1 tree', 'other 1 ?q=a']);
  });

  it('of an old view is not served for a new one', () => {
    const [old, current] = [viewAt('1'), viewAt('2')];
    database.cache.put(old);
    const before = render(old, 'tree');
    database.cache.put(current);

    expect(render(current, 'tree')).not.toBe(before);
    // A call may still hold the old view.
    expect(render(old, 'tree')).not.toBe(render(current, 'tree'));
  });
});
