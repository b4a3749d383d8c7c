import { UseInterceptors } from '@nestjs/common';
import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, type Host, listening, platformNames, typeOrm } from '../embedding/host.js';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { CustomersLanguage } from './customers-language.js';

// docs/recipes/labels.md shows this code.

const translated = [UseInterceptors(CustomersLanguage)];
const shipping = ShippingModule.forRoot({
  isGlobal: true,
  http: { routeDecorators: { list: translated, tree: translated } },
});

describe.each(platformNames)('labels on %s', (platform) => {
  let database: TestDatabase;
  let host: Host;
  let shop: Client;
  const codes = { carrier_code: 'ups', method_code: '03' };
  const ground = {
    ...codes,
    method_label: 'Ground',
    meta: { labels: { de: 'Standard', fr: 'Colis' } },
  };
  beforeAll(async () => {
    database = await testDatabase();
    const testing = await compiled([typeOrm(database), shipping]);
    host = await listening(testing, (app) => app.enableCors({ origin: 'https://a.example' }), platform);
    shop = new Client(host.origin, freshProject());
    await testing.get(ShippingMethods).create(shop.project, ground);
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  it.each([
    ['fr-CH, de;q=0.5', 'Colis'],
    ['de', 'Standard'],
    ['es, de', 'Standard'],
    ['en-GB, de', 'Ground'],
    ['es', 'Ground'],
    ['*', 'Ground'],
  ])('are in the language of the customer: %s', async (accepted, label) => {
    const headers = { 'accept-language': accepted };

    const [list, tree] = [await shop.list('', headers), await shop.tree(headers)];

    expect(list.body.data[0]?.method_label).toBe(label);
    expect(tree.body.data[0]?.methods[0]?.method_label).toBe(label);
    // Nest's CORS on Express varies by the origin, too.
    const vary = platform === 'Express' ? 'Origin, Accept-Language' : 'Accept-Language';
    for (const answer of [list, tree]) expect(answer.headers.get('vary')).toBe(vary);
  });

  it('are answered with 304 for the ETag of their language, and not of another one', async () => {
    const german = await shop.list('', { 'accept-language': 'de' });
    const held = { 'if-none-match': german.headers.get('etag') ?? '' };

    const again = await shop.list('', { ...held, 'accept-language': 'de' });
    const french = await shop.list('', { ...held, 'accept-language': 'fr' });

    expect([again.status, french.status]).toEqual([304, 200]);
    expect(french.body.data[0]?.method_label).toBe('Colis');
  });

  it('are searched and sorted in the language of the shop', async () => {
    const headers = { 'accept-language': 'de' };

    const [shown, stored] = [await shop.list('q=standard', headers), await shop.list('q=ground', headers)];

    expect([shown.body.meta.total, stored.body.meta.total]).toEqual([0, 1]);
  });

  it('are the stored ones in a form that saves them', async () => {
    const { body: list } = await shop.list('', { 'accept-language': '*' });
    const [method] = list.data;

    const { body } = await shop.update(method?.id ?? '', { ...codes, method_label: method?.method_label });

    expect([body.method_label, body.version]).toEqual(['Ground', 1]);
  });
});
