import { OrderEventsService, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { type QueryResultCache } from 'typeorm/cache/QueryResultCache.js';
import { type QueryResultCacheOptions } from 'typeorm/cache/QueryResultCacheOptions.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { compiled, typeOrm } from './host.js';
import { ground } from '../support/client.js';

const shipped = [{ projectId: 'shop', orderId: '1' }, { type: 'order.shipped' }] as const;

/** Keeps every result that TypeORM gives it. */
class QueryCache implements QueryResultCache {
  readonly results = new Map<string, QueryResultCacheOptions>();

  getFromCache({ query = '' }: QueryResultCacheOptions): Promise<QueryResultCacheOptions | undefined> {
    return Promise.resolve(this.results.get(query));
  }

  storeInCache(found: QueryResultCacheOptions): Promise<void> {
    this.results.set(found.query ?? '', found);
    return Promise.resolve();
  }

  isExpired = () => false;
  connect = () => Promise.resolve();
  disconnect = () => Promise.resolve();
  synchronize = () => Promise.resolve();
  clear = () => Promise.resolve();
  remove = () => Promise.resolve();
}

describe("a host's DataSource that caches every query", () => {
  const queryCache = new QueryCache();
  let database: TestDatabase;
  let methods: ShippingMethodsService;
  let events: OrderEventsService;
  beforeAll(async () => {
    database = await testDatabase({ cache: { alwaysEnabled: true, provider: () => queryCache } });
    // Without the cache of views, each call reads the database.
    const shipping = ShippingModule.forRoot({ http: false, cache: { maxBytes: 0 } });
    const testing = await compiled([typeOrm(database), shipping]);
    await testing.createNestApplication().init();
    [methods, events] = [testing.get(ShippingMethodsService), testing.get(OrderEventsService)];
  });
  afterAll(() => database?.close());
  beforeEach(() => queryCache.results.clear());

  it('redacts and removes every event of an order', async () => {
    await addEvents(database.dataSource.manager, { projectId: 'shop', orderId: 'long' }, 2500, () => ({
      message: 'Ada',
    }));

    expect(await events.redactHistory({ projectId: 'shop', orderId: 'long' })).toBe(2500);
    expect(await events.redactHistory({ projectId: 'shop', orderId: 'long' })).toBe(0);
    expect(await events.removeHistory({ projectId: 'shop', orderId: 'long' })).toBe(2500);
    expect(await events.findAll({ projectId: 'shop', orderId: 'long' })).toEqual([]);
  });

  it('gives a repeated record the event that is stored, not one that was removed', async () => {
    const once = [
      { projectId: 'shop', orderId: '1' },
      { type: 'order.shipped', dedupe_key: 'a' },
    ] as const;
    const removed = [await events.record(...once), await events.record(...once)];
    await events.removeHistory({ projectId: 'shop', orderId: '1' });

    const stored = [await events.record(...once), await events.record(...once)];

    expect([removed[1], stored[1]]).toEqual(
      [removed[0], stored[0]].map((first) => ({ ...first, repeated: true })),
    );
    expect(await events.findAll({ projectId: 'shop', orderId: '1' })).toMatchObject([{ id: stored[0]?.id }]);
  });

  it('responds to every read of ours from the database', async () => {
    const created = await methods.create('shop', ground);
    await methods.find('shop', created.id);
    await events.record(...shipped);
    await events.findAll({ projectId: 'shop', orderId: '1' });
    await methods.update('shop', created.id, { ...ground, method_label: 'Ground' });
    await events.record(...shipped);

    const [page, tree] = [await methods.list('shop'), await methods.tree('shop')];
    const label = (await methods.findOrFail('shop', created.id)).method_label;
    const byCodes = await methods.findByCodes('shop', { carrier_code: 'ups', method_code: '03' });
    const [active] = await methods.findActive('shop');
    const { changes } = await methods.adoptDefaults('shop');
    const removed = await methods.removeAll('shop');

    expect([label, byCodes?.method_label, active?.method_label]).toEqual(['Ground', 'Ground', 'Ground']);
    expect(page.data[0]).toMatchObject({ method_label: 'Ground' });
    expect(tree.data[0]).toMatchObject({ methods: [{ method_label: 'Ground' }] });
    expect([changes, removed]).toEqual([[], 1]);
    expect((await methods.list('shop')).data).toEqual([]);
    expect(await events.removeHistories('shop')).toBeGreaterThanOrEqual(2);
    expect([...queryCache.results.keys()]).toEqual([]);
  });
});
