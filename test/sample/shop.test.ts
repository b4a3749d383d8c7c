import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orderIdOf } from '../../apps/sample/src/shop/checkout.service.js';
import { ShopOrder } from '../../apps/sample/src/shop/shop-order.entity.js';
import { type TestResponse, Client, freshProject, ground } from '../support/client.js';
import { type SampleApp, sampleApp } from './sample-app.js';

const chosen = { carrier_code: 'ups', method_code: '03' };

describe('the shop of the sample', () => {
  let app: SampleApp;
  beforeAll(async () => {
    app = await sampleApp();
  });
  afterAll(() => app?.close());

  const shopOf = (project = freshProject()): Client => new Client(app.origin, project);
  const place = (shop: Client, body: unknown, key?: string): Promise<TestResponse<Record<string, unknown>>> =>
    shop.send(
      'POST',
      `/shops/${shop.project}/orders`,
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );
  const orders = (shop: Client): Promise<number> =>
    app.database.dataSource.manager.countBy(ShopOrder, { projectId: shop.project });

  it('offers the active methods in their order, with what a customer may see of their meta', async () => {
    const shop = shopOf();
    await shop.create({ ...ground, sort_order: 2 });
    await shop.create({ ...ground, method_code: '02', method_label: 'Off', is_active: false });
    await shop.create({
      ...ground,
      method_code: '01',
      method_label: 'Air',
      sort_order: 1,
      meta: { delivery: '2 days', price: '$9.00', cost: 3 },
    });

    const { body } = await shop.send('GET', `/shops/${shop.project}/methods`);

    expect(body).toEqual([
      { carrier_code: 'ups', method_code: '01', label: 'Air', delivery: '2 days', price: '$9.00' },
      { ...chosen, label: 'UPS Ground' },
    ]);
  });

  it('makes a short number from the key, which the API accepts as the id of an order', () => {
    expect(orderIdOf('key-1')).toMatch(/^[0-9A-F]{16}$/);
    expect(orderIdOf('key-1')).not.toBe(orderIdOf('key-2'));
  });

  it('places an order, and records the chosen method in its history', async () => {
    const shop = shopOf();
    await shop.create(ground);

    const placed = await place(shop, chosen, 'key-1');

    expect(placed).toMatchObject({ status: 201, body: { order_id: orderIdOf('key-1') } });
    expect((await shop.events(orderIdOf('key-1'))).body.data).toMatchObject([
      { type: 'order.placed', data: { origin: 'web' }, actor: { type: 'customer' } },
      { type: 'shipping.selected', message: 'UPS Ground', data: chosen },
    ]);
    expect(await orders(shop)).toBe(1);
  });

  it('places one order when the same key comes eight times at once', async () => {
    const shop = shopOf();
    await shop.create(ground);
    const repeat = (): Promise<TestResponse<unknown>> => place(shop, chosen, 'key-1');

    const responses = await Promise.all(Array.from({ length: 8 }, repeat));

    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
    expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await orders(shop)).toBe(1);
    expect((await shop.events(orderIdOf('key-1'))).body.data).toHaveLength(2);
  });

  it('responds to a repeat with its order, although the method is inactive now', async () => {
    const shop = shopOf();
    const { body: method } = await shop.create(ground);
    const first = await place(shop, chosen, 'key-1');
    await shop.update(method.id, { ...ground, is_active: false });

    const repeat = await place(shop, chosen, 'key-1');
    const other = await place(shop, chosen, 'key-2');

    expect(repeat.body).toEqual(first.body);
    expect(other).toMatchObject({
      status: 409,
      body: { detail: 'This shipping method is no longer available. Choose another one.' },
    });
    expect(await orders(shop)).toBe(1);
  });

  it('refuses a request without a key or without a method, and one that is no JSON object', async () => {
    const shop = shopOf();

    const refused = [
      await place(shop, chosen),
      await place(shop, {}, 'a'),
      await place(shop, [], 'b'),
      await place(shop, { carrier_code: {}, method_code: [1] }, 'c'),
      await place(shop, '{', 'd'),
    ];

    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  });

  it('keeps a method that an order refers to', async () => {
    const shop = shopOf();
    const { body: method } = await shop.create(ground);
    await place(shop, chosen, 'key-1');

    expect(await shop.remove(method.id)).toMatchObject({ status: 409, body: { code: 'method_in_use' } });
  });
});
