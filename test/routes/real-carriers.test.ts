import { OrderEvents, type ShippingMethodDto } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { byCodePoints } from '../support/order.js';
import { hasSharedData, realEvents, realMethods } from '../support/shared-data.js';

describe.skipIf(!hasSharedData)('918 real methods and 328 real kinds of events', () => {
  let app: TestApp;
  let shop: Client;
  beforeAll(async () => {
    app = await testApp();
    shop = new Client(app.origin, freshProject());
  });
  afterAll(() => app?.close());

  it('are created by POST, come back unchanged and in order, and are refused the second time', async () => {
    const methods = realMethods().map((method, index) => ({ ...method, sort_order: (index * 7) % 10 }));

    const created = [];
    for (const method of methods) created.push(await shop.create(method));
    const again = [];
    for (const method of methods) again.push(await shop.create(method));
    const pages = [];
    for (let page = 1; page <= 10; page++) pages.push(await shop.list(`page=${page}&per_page=100`));
    const tree = await shop.tree();

    expect(created.filter(({ status }) => status !== 201)).toEqual([]);
    expect(again.filter(({ status, body }) => status !== 409 || body['identical'] !== true)).toEqual([]);
    const inOrder = methods.toSorted(
      (a, b) =>
        a.sort_order - b.sort_order ||
        byCodePoints(a.carrier_code, b.carrier_code) ||
        byCodePoints(a.method_code, b.method_code),
    );
    const sent = ({
      carrier_code,
      carrier_label,
      method_code,
      method_label,
      sort_order,
      meta,
    }: Sent): Sent => ({
      carrier_code,
      carrier_label,
      method_code,
      method_label,
      sort_order,
      meta,
    });
    const listed = pages.flatMap(({ body }) => body.data);
    expect(pages.map(({ body }) => body.meta.total)).toEqual(Array(10).fill(918));
    expect(listed.map(sent)).toEqual(inOrder.map(sent));

    const carriers = new Map<string, Sent[]>();
    for (const method of inOrder) {
      carriers.set(method.carrier_code, [...(carriers.get(method.carrier_code) ?? []), sent(method)]);
    }
    expect(tree.body.data).toHaveLength(177);
    expect(tree.body.data.map((carrier) => [carrier.carrier_code, carrier.methods.map(sent)])).toEqual([
      ...carriers,
    ]);
  });

  it('are recorded as events and read back in order', async () => {
    const events = app.nest.get(OrderEvents);
    const kinds = realEvents();

    for (const kind of kinds) {
      await events.record({
        projectId: shop.project,
        orderId: 'all-kinds',
        type: kind.normalised,
        message: kind.meaning,
        data: { source: kind.source, type_in_source: kind.type_in_source },
      });
    }
    const { body } = await shop.events('all-kinds');

    expect(body.data.map(({ type, message }) => [type, message])).toEqual(
      kinds.map(({ normalised, meaning }) => [normalised, meaning]),
    );
  });
});

type Sent = Pick<
  ShippingMethodDto,
  'carrier_code' | 'carrier_label' | 'method_code' | 'method_label' | 'sort_order'
> & { meta: unknown };
