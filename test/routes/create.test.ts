import { type ShippingMethodDto } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { adapters } from '../support/app.js';
import { ground } from '../support/client.js';

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

  it('stores minus zero as zero, and compares it as zero', async () => {
    const own = host.shop();
    const zero = JSON.stringify({ ...ground, sort_order: 0, meta: { a: 0 } });
    const minusZero = zero.replaceAll(':0', ':-0');
    const { body: first } = await own.create(zero);

    const [again, updated] = [await own.create(minusZero), await own.update(first.id, minusZero)];
    await own.remove(first.id);
    const { body: second } = await own.create(minusZero);
    const repeated = await own.create(minusZero);

    expect(again.body).toMatchObject({ existing_id: first.id, identical: true });
    expect(updated.body).toEqual(first);
    expect(second).toMatchObject({ sort_order: 0, meta: { a: 0 }, version: 1 });
    expect(repeated.body).toMatchObject({ existing_id: second.id, identical: true });
  });
});
