import { ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../test/support/app.js';
import { Client, freshProject } from '../../test/support/client.js';
import { type TestDatabase, testDatabase } from '../../test/support/database.js';
import { counted, progress, report } from './figures.js';
import { sized } from './size.js';

const readers = 16;
const routes = ['list', 'tree', 'service'] as const;
type Route = (typeof routes)[number];
const inherited = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
const own = { carrier_code: 'dhl', method_code: 'express', method_label: 'Express' };

/** The number of the write that a method shows, by its carrier code. */
type Counts = Record<string, number>;

interface Shown {
  carrier_code: string;
  meta: Record<string, unknown>;
}

function countsOf(methods: readonly Shown[]): Counts {
  return Object.fromEntries(methods.map(({ carrier_code, meta }) => [carrier_code, Number(meta['n'])]));
}

describe('a read that begins after an acknowledged write', () => {
  let database: TestDatabase;
  let apps: TestApp[];
  beforeAll(async () => {
    database = await testDatabase();
    // The cache of one of the two is so small that it evicts entries all the time.
    const narrow = { adapter: 'express', shipping: { cache: { maxBytes: 8000 } } } as const;
    apps = [await testApp({ database }), await testApp({ database: await database.another(), ...narrow })];
  });
  afterAll(async () => {
    for (const app of apps ?? []) await app.close();
    await database?.close();
  });

  it.each([
    ['a project with inherited methods', true],
    ['a project without inherited methods', false],
  ])('shows that write on two instances, by route, service and ETag, in %s', async (title, inherits) => {
    const wanted = sized({ ci: 2_000, long: 100_000 });
    const project = freshProject();
    const of = (id: string): Client[] => apps.map(({ origin }) => new Client(origin, id));
    const shops = of(project);
    const written: Counts = {};
    const writers: (() => Promise<void>)[] = [];
    const write = async (clients: Client[], method: typeof own): Promise<void> => {
      const { body } = await any(clients).create({ ...method, meta: { n: 0 } });
      written[method.carrier_code] = 0;
      writers.push(async () => {
        const n = (written[method.carrier_code] ?? 0) + 1;
        const methods = any(apps).nest.get(ShippingMethodsService);
        await methods.update(body.project_id, body.id, { ...method, meta: { n } });
        written[method.carrier_code] = n;
      });
    };
    await write(shops, own);
    if (inherits) {
      await write(of('default'), inherited);
      await shops[0]?.create({ ...inherited, use_default: true });
    }

    let reads = 0;
    let writes = 0;
    const goesOn = (): boolean => reads < wanted || writes < wanted / 100;
    let unchanged = 0;
    /** The last response to each query, and its ETag. */
    const responses = new Map<string, { tag: string; shown: Counts }>();
    const stale: unknown[] = [];
    const held = async (shop: Client, route: 'list' | 'tree'): Promise<Counts> => {
      const query = any(['', 'per_page=7', 'q=r', 'filter[is_active]=true']);
      const key = route === 'list' ? `${route} ${query}` : route;
      const last = responses.get(key);
      const headers: Record<string, string> = last ? { 'if-none-match': last.tag } : {};
      const response = route === 'list' ? await shop.list(query, headers) : await shop.tree(headers);
      if (response.status === 304) {
        unchanged++;
        return last?.shown ?? {};
      }
      const data: readonly (Shown | { methods: readonly Shown[] })[] = response.body.data;
      const shown = countsOf(data.flatMap((entry) => ('methods' in entry ? entry.methods : entry)));
      responses.set(key, { tag: response.headers.get('etag') ?? '', shown });
      return shown;
    };
    const sibling = async (app: TestApp): Promise<Counts> => {
      const methods = app.nest.get(ShippingMethodsService);
      const active = any([true, false]);
      return countsOf(active ? await methods.findActive(project) : (await methods.list(project)).data);
    };
    const read = async (route: Route = any(routes)): Promise<void> => {
      progress(title, ++reads, wanted);
      const before = { ...written };
      const shown = route === 'service' ? await sibling(any(apps)) : await held(any(shops), route);
      const missed = Object.keys(before).filter((code) => !((shown[code] ?? -1) >= (before[code] ?? 0)));
      if (missed.length > 0) stale.push({ route, before, shown });
    };
    const reader = async (): Promise<void> => {
      while (goesOn()) await read();
    };
    const writer = async (): Promise<void> => {
      for (; goesOn(); writes++) {
        await any(writers)();
        // At once, while look-ups from before the write are still under way.
        await Promise.all(routes.map((route) => read(route)));
        // Sometimes a pause, so that cached JSON is served again.
        for (let pause = any([0, 0, 5]); pause > 0; pause--) await read();
      }
    };

    await Promise.all([writer(), ...Array.from({ length: readers }, reader)]);

    expect(stale.slice(0, 3)).toEqual([]);
    report({
      name: `Stale reads: ${title}`,
      done: `${counted(reads)} reads (${counted(unchanged)} were 304) beside ${counted(writes)} writes, ${stale.length} stale`,
      criterion: '0 stale',
      met: stale.length === 0 && unchanged > 0,
    });
  });
});

function any<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}
