import { OrderEventsService, type ShippingMethodDto, ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { byCodePoints } from '../support/order.js';
import { hasSharedData, realEvents, realMethods } from '../support/shared-data.js';

const place = hasSharedData ? '' : ' (../shared/data is not here)';

describe.skipIf(!hasSharedData)(`918 real methods and 328 real kinds of events${place}`, () => {
  let app: TestApp;
  let shop: Client;
  beforeAll(async () => {
    app = await testApp();
    shop = new Client(app.origin, freshProject());
  });
  afterAll(() => app?.close());

  it('come back unchanged and in order, and cannot be created twice', async () => {
    const methods = realMethods().map((method, index) => ({ ...method, sort_order: (index * 7) % 10 }));

    const { changes } = await app.nest.get(ShippingMethodsService).upsertMany(shop.project, methods);
    const again = await Promise.all(
      methods.filter((_, index) => index % 9 === 0).map((each) => shop.create(each)),
    );
    const pages = [];
    for (let page = 1; page <= 10; page++) pages.push(await shop.list(`page=${page}&per_page=100`));
    const tree = await shop.tree();

    expect(changes).toHaveLength(918);
    expect(again.filter(({ status, body }) => status !== 409 || body['identical'] !== true)).toEqual([]);
    const inOrder = methods.toSorted(
      (a, b) =>
        a.sort_order - b.sort_order ||
        byCodePoints(a.carrier_code, b.carrier_code) ||
        byCodePoints(a.method_code, b.method_code),
    );
    const fields = [
      'carrier_code',
      'carrier_label',
      'method_code',
      'method_label',
      'sort_order',
      'meta',
    ] as const;
    const sent = (method: Sent) => fields.map((name) => method[name]);
    const listed = pages.flatMap(({ body }) => body.data);
    expect(pages.map(({ body }) => body.meta.total)).toEqual(Array(10).fill(918));
    expect(listed.map(sent)).toEqual(inOrder.map(sent));

    const carriers = new Map<string, unknown[]>();
    for (const method of inOrder) {
      carriers.set(method.carrier_code, [...(carriers.get(method.carrier_code) ?? []), sent(method)]);
    }
    expect(tree.body.data).toHaveLength(177);
    expect(tree.body.data.map((carrier) => [carrier.carrier_code, carrier.methods.map(sent)])).toEqual([
      ...carriers,
    ]);
  });

  it('are recorded as events and read back in order', async () => {
    const events = app.nest.get(OrderEventsService);
    const kinds = realEvents();

    for (const kind of kinds) {
      await events.record(
        { projectId: shop.project, orderId: 'all-kinds' },
        {
          type: kind.normalised,
          message: kind.meaning,
          data: { source: kind.source, type_in_source: kind.type_in_source },
        },
      );
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
