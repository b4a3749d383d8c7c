import { type ShippingMethodDto, UpsertShippingMethodRequest } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { adapters } from '../support/app.js';
import { freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe.each(adapters)('create on %s', (adapter) => {
  const host = mounted({ adapter });

  it('gives a UUIDv7 as the id, and a Location without the query of the request', async () => {
    const shop = host.shop();
    const methods = `${shop.base}/shipments/methods`;

    const { headers, body } = await shop.send<ShippingMethodDto>('POST', `${methods}?a=/b`, ground);

    expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(headers.get('location')).toBe(`${methods}/${body.id}`);
  });

  it.runIf(adapter === 'express')('gives the same Location for a path that ends with a slash', async () => {
    const shop = host.shop();
    const methods = `${shop.base}/shipments/methods`;

    const { headers, body } = await shop.send<ShippingMethodDto>('POST', `${methods}/?a=/`, ground);

    expect(headers.get('location')).toBe(`${methods}/${body.id}`);
  });

  it.each(['create', 'upsert'] as const)('checks an object of the request class too: %s', async (write) => {
    const request = Object.assign(new UpsertShippingMethodRequest(), { ...ground, sort_order: '1' });

    const written = host.methods[write](freshProject(), request as never);

    await expect(written).rejects.toMatchObject({ errors: [{ pointer: '/sort_order', code: 'type' }] });
  });
});
