import 'reflect-metadata';
import assert from 'node:assert/strict';
import { bootstrap, dummyPaymentHandler, PluginCommonModule, VendurePlugin } from '@vendure/core';
import { OrderEventsService, ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule, shippingContract } from 'nestjs-shipping/testing';

/** Vendure keeps its own tables in its own database; ours are in PostgreSQL, on a named DataSource. */
@VendurePlugin({
  imports: [
    PluginCommonModule,
    embeddedTypeOrmModule({ name: 'shipping' }),
    ShippingModule.forRoot({ dataSource: 'shipping' }),
  ],
  compatibility: '^3.0.0',
})
class ShippingPlugin {}

async function main(): Promise<void> {
  const app = await bootstrap({
    apiOptions: { port: 0, hostname: '127.0.0.1', adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
    authOptions: {
      tokenMethod: 'bearer',
      superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
    },
    dbConnectionOptions: { type: 'sqljs', synchronize: true },
    paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
    plugins: [ShippingPlugin],
  });
  const origin = await app.getUrl();
  const orderEvents = app.get(OrderEventsService, { strict: false });
  for (const { title, run } of shippingContract(() => ({
    origin,
    orderEvents,
    defaultsProjectId: 'default',
  }))) {
    await run();
    console.log(`✓ ${title}`);
  }
  const response = await fetch(`${origin}/shop-api`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ activeChannel { code } }' }),
  });
  assert.deepEqual(await response.json(), { data: { activeChannel: { code: '__default_channel__' } } });
  console.log("✓ Vendure's own API responds beside it");
  await app.close();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
