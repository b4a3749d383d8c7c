import 'reflect-metadata';
import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import { MethodInUseError, OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { expectNoSchemaDrift, shippingContract } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { ShopOrder } from './shop-order.entity.js';
import { ShopOrders } from './shop-orders.service.js';

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] });
  await app.listen(0, '127.0.0.1');
  const events = app.get(OrderEvents);
  const target = { origin: await app.getUrl(), orderEvents: events };
  for (const { title, run } of shippingContract(() => target)) {
    await run();
    console.log(`✓ ${title}`);
  }

  const dataSource = app.get(DataSource);
  const methods = app.get(ShippingMethods);
  const orders = app.get(ShopOrders);
  const stored = async (): Promise<unknown> => ({
    orders: (await dataSource.getRepository(ShopOrder).find()).map(({ number }) => number),
    events: [...(await events.list('shop', '1')), ...(await events.list('shop', '2'))].map(
      ({ order_id, type }) => `${order_id}: ${type}`,
    ),
    offered: (await methods.findActive('shop')).map(({ method_code }) => method_code),
  });
  const seen: string[] = [];
  const van = { carrier_code: 'van', method_label: 'Van' };
  for (const method_code of ['am', 'pm']) await methods.create('shop', { ...van, method_code });
  methods.changes.subscribe(({ type, after }) => seen.push(`${type} ${after?.method_code}`));

  const failed = orders.place('shop', '1', 'van', 'am', () => Promise.reject(new Error('No money.')));

  await assert.rejects(failed, /No money/);
  assert.deepEqual(await stored(), { orders: [], events: [], offered: ['am', 'pm'] });
  assert.deepEqual(seen, []);
  console.log('✓ the order, its event and the change of the method are rolled back together');

  const seenBefore: string[] = [];
  const method = await orders.place('shop', '2', 'van', 'pm', async () => void seenBefore.push(...seen));

  assert.deepEqual(await stored(), { orders: ['2'], events: ['2: order.placed'], offered: ['am'] });
  assert.deepEqual([seenBefore, seen], [[], ['updated pm']]);
  console.log('✓ they are committed together, and changes come after the commit');

  await assert.rejects(methods.remove('shop', method.id), MethodInUseError);
  console.log('✓ a method that an order refers to is kept');

  await expectNoSchemaDrift(dataSource);
  console.log('✓ no schema drift');
  await app.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
