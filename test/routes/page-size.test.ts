import { ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

describe('a mount whose maxPageSize is less than the default of per_page', () => {
  let app: TestApp;
  let shop: Client;
  beforeAll(async () => {
    app = await testApp({ shipping: { maxPageSize: 2 } });
    shop = new Client(app.origin, freshProject());
    for (const method_code of ['a', 'b', 'c'])
      await shop.create({ carrier_code: 'ups', method_code, method_label: 'Label' });
  });
  afterAll(() => app?.close());

  it('has pages of maxPageSize by default, and findActive still gives all methods', async () => {
    const methods = app.nest.get(ShippingMethodsService);

    const pages = [(await shop.list()).body, await methods.list(shop.project)];

    for (const { data, meta } of pages)
      expect([data.length, meta]).toEqual([2, { page: 1, per_page: 2, total: 3, total_pages: 2 }]);
    expect((await shop.list('per_page=3')).status).toBe(400);
    expect(await methods.findActive(shop.project)).toHaveLength(3);
  });

  it('has pages of maxPageSize when a known URL is read again after a change', async () => {
    await shop.list();
    await shop.create({ carrier_code: 'ups', method_code: 'd', method_label: 'Label' });

    const { data, meta } = (await shop.list()).body;

    expect([data.length, meta]).toEqual([2, { page: 1, per_page: 2, total: 4, total_pages: 2 }]);
  });

  it('has another ETag for its list than a mount with another maxPageSize', async () => {
    const other = await testApp({ shipping: { maxPageSize: 3 }, database: app.database });
    const held = (await shop.list()).headers.get('etag') ?? '';

    const response = await new Client(other.origin, shop.project).list('', { 'if-none-match': held });
    await other.close();

    expect([response.status, response.body.data.length]).toEqual([200, 3]);
  });
});
