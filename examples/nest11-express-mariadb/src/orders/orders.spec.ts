import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { MethodInUseError, OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { shippingContract, testTypeOrmModule } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';
import { AppModule, database } from '../app.module';
import { options } from '../database';
import { OutboxEntry, sendOutbox } from '../outbox';
import { ShopOrder } from './shop-order.entity';
import { ShopOrders } from './shop-orders.service';

describe('the shop', () => {
  let app: INestApplication;
  let origin: string;
  let methods: ShippingMethodsService;
  let dataSource: DataSource;
  beforeAll(async () => {
    const testing = Test.createTestingModule({ imports: [AppModule] });
    // The test creates a database of its own, and drops it at the end.
    const compiled = await testing.overrideModule(database).useModule(testTypeOrmModule(options)).compile();
    app = compiled.createNestApplication();
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
    methods = app.get(ShippingMethodsService);
    dataSource = app.get(DataSource);
  }, 60_000);
  afterAll(() => app.close());

  const stored = async (id: string): Promise<unknown> => ({
    orders: (await dataSource.getRepository(ShopOrder).find()).map((order) => order.id),
    events: (await app.get(OrderEventsService).findAll({ projectId: 'shop', orderId: id })).map(
      ({ type }) => type,
    ),
    offered: (await methods.findActive('shop')).map(({ method_code }) => method_code),
    outbox: await dataSource.manager.count(OutboxEntry),
  });

  const placeByKey = async (key: string): Promise<{ status: number; id: string; number: string }> => {
    const response = await fetch(`${origin}/shops/shop/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ carrier_code: 'van', method_code: 'am' }),
    });
    return { status: response.status, ...((await response.json()) as { id: string; number: string }) };
  };

  it('stores the order, its event, the change of the method and the outbox together, or nothing', async () => {
    const van = { carrier_code: 'van', method_label: 'Van' };
    const codes = ['am', 'pm'].map((method_code) => ({ ...van, method_code }));
    await methods.upsertMany('shop', codes);
    const before = await stored('1');
    const noMoney = () => Promise.reject(new Error('No money.'));

    const failed = app.get(ShopOrders).place('shop', '1', 'van', 'am', noMoney);
    await expect(failed).rejects.toThrow('No money');
    expect(await stored('1')).toEqual(before);

    // The client repeats its request, with the same key.
    const responses = await Promise.all(Array.from({ length: 8 }, () => placeByKey('key-1')));
    const { id = '', number } = responses[0] ?? {};
    expect(number).toMatch(/^#1\d{3}$/);
    for (const response of responses) expect(response).toEqual({ status: 201, id, number });
    const placed = { orders: [id], events: ['order.placed'], offered: ['pm'], outbox: 4 };
    expect(await stored(id)).toEqual(placed);
  });

  it('refuses a request without a key as problem details', async () => {
    const response = await fetch(`${origin}/shops/shop/orders`, { method: 'POST' });

    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it('sells the last place once', async () => {
    await methods.create('race', { carrier_code: 'van', method_code: 'pm', method_label: 'Van' });

    // Each client sends its order twice.
    const orders = ['1', '1', '2', '2', '3', '3'].map((id) =>
      app.get(ShopOrders).place('race', id, 'van', 'pm'),
    );
    const outcomes = await Promise.allSettled(orders);
    const statuses = outcomes.map((each) => (each.status === 'rejected' ? each.reason.getStatus() : 201));

    // A 409 found the method inactive. A 412 has lost the place to a faster order.
    expect(statuses.filter((status) => status === 201)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409 || status === 412)).toHaveLength(4);
    const placed = await dataSource.getRepository(ShopOrder).findBy({ projectId: 'race' });
    expect(placed).toHaveLength(1);
  });

  it('keeps a method that an order refers to', async () => {
    const used = await methods.findByCodes('shop', { carrier_code: 'van', method_code: 'am' });

    await expect(methods.remove('shop', used?.id ?? '')).rejects.toThrow(MethodInUseError);
    await expect(methods.removeAll('shop')).rejects.toThrow(MethodInUseError);
  });

  it('sends the outbox in order, and empties it', async () => {
    const sent: string[] = [];

    await sendOutbox(dataSource, async ({ type }) => {
      sent.push(type);
    });

    const placed = ['order.placed', 'method.updated'];
    expect(sent.slice(0, 4)).toEqual(['method.created', 'method.created', ...placed]);
    expect(await dataSource.manager.count(OutboxEntry)).toBe(0);
  });

  it('has the tables that its entities describe', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries).toEqual([]);
  });

  const target = () => ({ origin, orderEvents: app.get(OrderEventsService) });
  for (const { title, run } of shippingContract(target)) it(title, run);
});
