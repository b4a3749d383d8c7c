// This test starts a Vendure server with the module, and calls Vendure's API and our routes.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { bootstrap, generateMigration, Order, RequestContextService } from '@vendure/core';
import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { expectNoSchemaDrift, shippingContract } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';
import { configOn } from './config.js';
import { Checkout } from './shipping.plugin.js';

async function main(): Promise<void> {
  await rm('test.sqlite', { force: true });
  const config = configOn('test.sqlite', 0);
  const app = await bootstrap(config);
  const get = <Service>(type: abstract new (...args: never[]) => Service): Service =>
    app.get<Service>(type, { strict: false });
  const origin = await app.getUrl();
  const orderEvents = get(OrderEventsService);
  for (const { title, run } of shippingContract(() => ({ origin, orderEvents }))) {
    await run();
    console.log(`✓ ${title}`);
  }

  const checkout = get(Checkout);
  const orders = get(DataSource).getRepository(Order);
  const methods = get(ShippingMethodsService);
  const codes = { carrier_code: 'ups', method_code: '03' };
  await methods.create('acme', { ...codes, method_label: 'UPS Ground' });
  const ctx = await get(RequestContextService).create({ apiType: 'shop' });
  const list = `${origin}/api/projects/acme/sales/orders/shipments/methods`;
  let listed: Promise<Response> | undefined;

  const code = await checkout.place(ctx, 'acme', codes, async () => {
    listed = fetch(list);
    await delay(100);
  });

  assert.equal((await listed)?.status, 200);
  assert.equal(await orders.countBy({ code }), 1);
  assert.deepEqual(
    (await orderEvents.findAll({ projectId: 'acme', orderId: code })).map(({ type }) => type),
    ['order.placed'],
  );
  console.log("✓ Vendure's order and our event are committed together");

  let lost = '';
  const before = await orders.count();
  const failed = checkout.place(ctx, 'acme', codes, async (order) => {
    lost = order;
    throw new Error('The stock is gone.');
  });
  await assert.rejects(failed, /The stock is gone/);
  assert.equal(await orders.count(), before);
  assert.deepEqual(await orderEvents.findAll({ projectId: 'acme', orderId: lost }), []);
  console.log('✓ and rolled back together');

  const vendure = async (query: string, token = ''): Promise<{ response: unknown; token?: string }> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const response = await fetch(`${origin}/admin-api`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    return {
      response: await response.json(),
      token: response.headers.get('vendure-auth-token') ?? undefined,
    };
  };
  const { token } = await vendure(
    'mutation { login(username: "superadmin", password: "superadmin") { __typename } }',
  );
  const { response } = await vendure('{ activeChannel { code } shippingMethods { totalItems } }', token);
  assert.deepEqual(response, {
    data: { activeChannel: { code: '__default_channel__' }, shippingMethods: { totalItems: 0 } },
  });
  console.log("✓ Vendure's own API responds beside it, and has shipping methods of its own");

  await expectNoSchemaDrift(get(DataSource));
  await app.close();
  assert.equal(await generateMigration(config, { name: 'drift' }), undefined);
  console.log('✓ no schema drift, and nothing in a migration that Vendure would generate');
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
