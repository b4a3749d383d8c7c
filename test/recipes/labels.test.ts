import { ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, type Host, listening, platformNames, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { translated } from './customers-language.js';
import { type OfferedMethod, Shops } from './storefront.controller.js';
import { TranslatedStorefrontController } from './translated-storefront.controller.js';

// docs/recipes/labels.md shows this code.

describe.each(platformNames)('labels on %s', (platform) => {
  let database: TestDatabase;
  let host: Host;
  let methods: ShippingMethodsService;
  const labels = {
    de: { carrier_label: 'Fahrrad', method_label: 'Sofort' },
    fr: { method_label: 'Tout de suite' },
    it: 'Subito',
    nl: null,
    pt: { method_label: 5 },
  };
  beforeAll(async () => {
    database = await testDatabase();
    const storefront = { controllers: [TranslatedStorefrontController], providers: [Shops] };
    const testing = await compiled(
      [typeOrm(database), ShippingModule.forRoot({ isGlobal: true })],
      storefront,
    );
    host = await listening(testing, (app) => app.enableCors({ origin: 'https://a.example' }), platform);
    methods = testing.get(ShippingMethodsService);
    const bike = { carrier_code: 'bike', method_code: '1' };
    await methods.create('acme', {
      ...bike,
      carrier_label: 'Bike',
      method_label: 'At once',
      meta: { labels },
    });
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  const offered = async (headers: Record<string, string>) => {
    const response = await fetch(`${host.origin}/shops/acme/shipping`, { headers });
    const body = response.status === 200 ? ((await response.json()) as OfferedMethod[]) : [];
    return { status: response.status, headers: response.headers, method: body[0] };
  };

  it.each([
    ['fr-CH, de;q=0.5', 'Bike', 'Tout de suite'],
    ['de', 'Fahrrad', 'Sofort'],
    ['es, DE', 'Fahrrad', 'Sofort'],
    ['en-GB, de', 'Bike', 'At once'],
    ['es', 'Bike', 'At once'],
    ['*', 'Bike', 'At once'],
    ['constructor, de', 'Fahrrad', 'Sofort'],
    ['it', 'Bike', 'At once'],
    ['nl', 'Bike', 'At once'],
    ['pt', 'Bike', 'At once'],
  ])('are in the language of the customer: %s', async (accepted, carrier, label) => {
    const { method, headers } = await offered({ 'accept-language': accepted });

    expect(method).toMatchObject({ carrier, label });
    // Nest's CORS on Express varies by the origin, too.
    const vary = platform === 'Express' ? 'Origin, Accept-Language' : 'Accept-Language';
    expect(headers.get('vary')).toBe(vary);
  });

  it('get a 304 for the ETag of their language, and not of another one', async () => {
    const german = await offered({ 'accept-language': 'de' });
    const held = { 'if-none-match': german.headers.get('etag') ?? '' };

    const again = await offered({ ...held, 'accept-language': 'de' });
    const french = await offered({ ...held, 'accept-language': 'fr' });

    expect([again.status, french.status]).toEqual([304, 200]);
    expect(french.method?.label).toBe('Tout de suite');
  });

  it('are the stored ones in our list, whatever language a form asks for', async () => {
    const url = `${host.origin}/api/projects/acme/sales/orders/shipments/methods`;

    const response = await fetch(url, { headers: { 'accept-language': 'de' } });

    expect(await response.json()).toMatchObject({
      data: [{ carrier_label: 'Bike', method_label: 'At once', meta: { labels } }],
    });
  });

  it('are translated in a copy, and each method inherits the labels with its meta', async () => {
    const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
    await methods.create('default', { ...ground, meta: { labels: { de: { method_label: 'Standard' } } } });
    const inheriting = await methods.create('globex', { ...ground, use_default: true });

    const german = translated(inheriting, ['de']);

    expect([german.method_label, inheriting.method_label]).toEqual(['Standard', 'Ground']);
  });
});
