import { ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, type Host, listening, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { CheckoutModule } from './checkout.js';

// docs/guide/checkout.md shows this code. test/services/idempotent-checkout.test.ts places orders with it.

describe('the route of the checkout', () => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await testDatabase();
    const shipping = ShippingModule.forRoot({ isGlobal: true });
    host = await listening(await compiled([typeOrm(database), shipping, CheckoutModule]));
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  it.each([
    ['a key', {}, /^Send an Idempotency-Key/],
    ['a body', { 'idempotency-key': '0b1f' }, /carrier_code/],
  ])('refuses a request without %s, with problem details', async (_what, headers, detail) => {
    const response = await fetch(`${host.origin}/shops/acme/orders`, { method: 'POST', headers });

    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status: 400, detail: expect.stringMatching(detail) });
  });
});
