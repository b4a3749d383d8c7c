import { type ShippingMethodDto, ShippingMethods, UpsertShippingMethodRequest } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe.each(adapters)('create on %s', (adapter) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp({ adapter });
  });
  afterAll(() => app?.close());

  it('answers with all fields of the method, its ETag and its Location', async () => {
    const shop = new Client(app.origin, freshProject());

    const { status, headers, body } = await shop.create(ground);

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      project_id: shop.project,
      carrier_code: 'ups',
      carrier_label: null,
      method_code: '03',
      method_label: 'UPS Ground',
      is_active: true,
      sort_order: 0,
      meta: {},
      use_default: false,
      inherited: [],
      own: {},
      version: 1,
      etag: '"1"',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.created_at,
    });
    expect(headers.get('etag')).toBe('"1"');
    expect(headers.get('location')).toBe(`${shop.base}/shipments/methods/${body.id}`);
  });

  it('gives a Location without the query of the request', async () => {
    const shop = new Client(app.origin, freshProject());

    const { headers, body } = await shop.send<ShippingMethodDto>(
      'POST',
      `${shop.base}/shipments/methods?a=/b`,
      ground,
    );

    expect(headers.get('location')).toBe(`${shop.base}/shipments/methods/${body.id}`);
  });

  it.runIf(adapter === 'express')('gives the same Location for a path that ends with a slash', async () => {
    const shop = new Client(app.origin, freshProject());

    const { headers, body } = await shop.send<ShippingMethodDto>(
      'POST',
      `${shop.base}/shipments/methods/?a=/`,
      ground,
    );

    expect(headers.get('location')).toBe(`${shop.base}/shipments/methods/${body.id}`);
  });

  it.each(['create', 'upsert'] as const)('checks an object of the request class too: %s', async (write) => {
    const request = Object.assign(new UpsertShippingMethodRequest(), { ...ground, sort_order: '1' });

    const written = app.nest.get(ShippingMethods)[write](freshProject(), request as never);

    await expect(written).rejects.toMatchObject({ errors: [{ pointer: '/sort_order', code: 'type' }] });
  });

  it('refuses codes that are taken, names the method that has them, and says whether it is identical', async () => {
    const shop = new Client(app.origin, freshProject());
    const { body: first } = await shop.create({ ...ground, meta: { a: 1, b: [2] } });

    const same = await shop.create({ ...ground, meta: { b: [2], a: 1 }, is_active: true });
    const other = await shop.create({ ...ground, method_label: 'Ground' });

    expect(same.status).toBe(409);
    expect(same.headers.get('content-type')).toBe('application/problem+json');
    expect(same.body).toMatchObject({ code: 'duplicate_method', existing_id: first.id, identical: true });
    expect(other.body).toMatchObject({ code: 'duplicate_method', existing_id: first.id, identical: false });
  });
});
