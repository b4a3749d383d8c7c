import { OrderEventsService, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, type Host, listening, typeOrm } from '../embedding/host.js';
import { freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { CheckoutModule } from './checkout.js';
import { TimelineController } from './timeline.controller.js';

// docs/guide/checkout.md shows the code of the checkout.

describe('the routes of the guide', () => {
  let database: TestDatabase;
  let host: Host;
  const shop = freshProject();
  beforeAll(async () => {
    database = await testDatabase();
    const shipping = ShippingModule.forRoot({ isGlobal: true });
    const testing = await compiled([typeOrm(database), shipping, CheckoutModule], {
      controllers: [TimelineController],
    });
    host = await listening(testing);
    const events = testing.get(OrderEventsService);
    for (const type of ['order.placed', 'order.paid', 'order.shipped'])
      await events.record({ projectId: shop, orderId: '1001' }, { type });
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  const timeline = async (query: string): Promise<{ status: number; types: unknown; next: unknown }> => {
    const response = await fetch(`${host.origin}/shops/${shop}/orders/1001/timeline${query}`);
    const { data: events, next } = Object(await response.json()) as {
      data?: { type: string }[];
      next?: unknown;
    };
    return { status: response.status, types: events?.map(({ type }) => type), next };
  };

  it('page through a timeline, newest event first', async () => {
    const first = await timeline('?limit=2');
    const last = await timeline(`?limit=2&cursor=${encodeURIComponent(String(first.next))}`);

    expect(first).toMatchObject({ status: 200, types: ['order.shipped', 'order.paid'] });
    expect(last).toEqual({ status: 200, types: ['order.placed'], next: null });
  });

  it('show some types of events, in either form of the query', async () => {
    const types = ['order.paid', 'order.placed'];

    expect(await timeline('?types=order.placed,order.paid')).toMatchObject({ types });
    expect(await timeline('?types=order.placed&types=order.paid')).toMatchObject({ types });
  });

  it.each(['?limit=x', '?limit=0', '?types=Paid', '?cursor=x'])('refuse the query %s', async (query) => {
    expect((await timeline(query)).status).toBe(400);
  });

  it.each([
    ['a key', {}],
    ['a body', { 'idempotency-key': '0b1f' }],
  ])('refuse a checkout without %s', async (_what, headers) => {
    const response = await fetch(`${host.origin}/shops/${shop}/orders`, { method: 'POST', headers });

    expect(response.status).toBe(400);
  });
  it.each([
    ['timeline', 'GET', '/1001/timeline?limit=x'],
    ['checkout', 'POST', ''],
  ])('respond to the errors of a %s with problem details', async (_what, method, path) => {
    const response = await fetch(`${host.origin}/shops/${shop}/orders${path}`, { method });

    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).not.toHaveProperty('statusCode');
  });
});
