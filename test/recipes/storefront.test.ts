import { Logger } from '@nestjs/common';
import { DatabaseUnavailableError, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { compiled, type Host, listening, platformNames, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { Shops, StorefrontController } from './storefront.controller.js';

// docs/recipes/storefront.md shows this code.

describe.each(platformNames)('the route of a storefront on %s', (platform) => {
  let database: TestDatabase;
  let host: Host;
  let methods: ShippingMethodsService;
  const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
  beforeAll(async () => {
    database = await testDatabase();
    const storefront = { controllers: [StorefrontController], providers: [Shops] };
    const testing = await compiled(
      [typeOrm(database), ShippingModule.forRoot({ isGlobal: true })],
      storefront,
    );
    host = await listening(testing, () => undefined, platform);
    methods = testing.get(ShippingMethodsService);
    await methods.upsertMany('acme', [
      { ...ground, carrier_label: 'UPS', meta: { cost: 3 }, sort_order: 2 },
      { carrier_code: 'dhl', method_code: 'P', method_label: 'Paket', sort_order: 1 },
      { carrier_code: 'old', method_code: '1', method_label: 'Old', is_active: false },
    ]);
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  const offered = (shop: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${host.origin}/shops/${shop}/shipping`, { headers });

  it('gives three fields of the active methods, in order', async () => {
    const response = await offered('acme');

    expect(await response.json()).toEqual([
      { id: expect.any(String), carrier: 'dhl', label: 'Paket' },
      { id: expect.any(String), carrier: 'UPS', label: 'Ground' },
    ]);
    expect(response.headers.get('cache-control')).toBe('public, no-cache');
  });

  it('responds with 304 until what a customer sees has changed', async () => {
    const held = (await offered('acme')).headers.get('etag') ?? '';
    const again = async (): Promise<number> => (await offered('acme', { 'if-none-match': held })).status;

    const same = await again();
    await methods.upsert('acme', { ...ground, meta: { cost: 4 } });
    const unseen = await again();
    await methods.upsert('acme', { ...ground, method_label: 'UPS Ground' });
    const changed = await again();

    expect([same, unseen, changed]).toEqual([304, 304, 200]);
    expect((await offered('acme', { 'if-none-match': 'W/"other"' })).status).toBe(200);
  });

  it('knows only open shops, and not the project of the defaults', async () => {
    const shops = ['default', 'initech', '..%2Facme'];

    const responses = await Promise.all(shops.map((shop) => offered(shop)));

    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
  it('responds with problem details and Retry-After when the database is not available', async () => {
    Logger.overrideLogger(false);
    onTestFinished(() => Logger.overrideLogger(['warn', 'error', 'fatal']));
    const down = vi.spyOn(database.dataSource, 'createQueryRunner').mockImplementation(() => {
      throw new DatabaseUnavailableError(new Error('The pool is empty.'));
    });
    onTestFinished(() => down.mockRestore());

    const { status, headers } = await offered('globex');

    expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[123]$/)]);
    expect(headers.get('content-type')).toBe('application/problem+json');
  });
});
