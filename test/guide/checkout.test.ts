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
    ['a key', {}],
    ['a body', { 'idempotency-key': '0b1f' }],
  ])('refuses a request without %s, with problem details', async (_what, headers) => {
    const response = await fetch(`${host.origin}/shops/acme/orders`, { method: 'POST', headers });

    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).not.toHaveProperty('statusCode');
  });
});
