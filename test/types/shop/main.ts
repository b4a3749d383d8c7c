import 'reflect-metadata';
import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import {
  OrderEventsService,
  repeatLostRaces,
  ShippingMethodsService,
  toUpsertRequest,
  VersionMismatchError,
} from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import { testCheckout } from './checkout-unit.js';
import { type Cart, Checkout } from './checkout.js';
import { verdictOn } from './errors.js';
import { ImportJob } from './import-job.js';
import { Outbox } from './outbox.js';

const projectId = 'acme';
const lines = [
  { carrier: 'ups', method: '03', label: 'UPS Ground', kilograms: 68 },
  { carrier: 'ups', method: '01', label: 'UPS Express', active: false },
];
const cart: Cart = {
  projectId,
  orderId: '1001',
  carrier_code: 'ups',
  method_code: '03',
  weight: 2,
  total: '5.00',
};

async function importMethods(job: ImportJob): Promise<void> {
  assert.equal((await job.run(projectId, lines, { dryRun: true })).length, 2);
  assert.deepEqual(await job.run(projectId, lines), [
    'created UPS Ground, version 1',
    'created UPS Express, version 1',
  ]);
  assert.deepEqual(await job.run(projectId, lines), []);
  assert.deepEqual(await job.run(projectId, [...lines, { carrier: 'ups', method: '', label: '' }]), [
    'line 3: method_code length',
    'line 3: method_label length',
  ]);
  assert.deepEqual(await job.run(projectId, []), ['2 methods are missing']);
}

async function placeOrder(checkout: Checkout, dataSource: DataSource): Promise<void> {
  const place = (): Promise<boolean> =>
    repeatLostRaces(() => dataSource.transaction((manager) => checkout.place(cart, manager)));
  assert.deepEqual(await checkout.offers(cart), ['UPS Ground']);
  assert.deepEqual([await place(), await place()], [true, false]);
}

async function sendMails(outbox: Outbox, events: OrderEventsService): Promise<void> {
  await events.record(cart, { type: 'order.paid', data: { amount: '5.00', currency: 'EUR' } });
  await events.record(cart, { type: 'stock.counted', data: { at: new Date(), count: undefined } });
  assert.deepEqual(await outbox.send(), [
    'Order 1001 over 5.00, coupon none',
    'Order 1001 is paid: 5.00 EUR',
  ]);
}

async function mapErrors(methods: ShippingMethodsService): Promise<void> {
  const ground = await methods.findByCodesOrFail(projectId, cart);
  const duplicate = await methods.create(projectId, toUpsertRequest(ground)).catch(verdictOn);
  const late = await methods
    .update(projectId, ground.id, { sort_order: 1 }, { etag: '"7"' })
    .catch(verdictOn);
  const codes = { carrier_code: 'ups', method_code: '02' };
  const invalid = await methods.create(projectId, { ...codes, method_label: '' }).catch(verdictOn);
  assert.deepEqual(duplicate, { verdict: 'give up', reason: `The method ${ground.id} has these codes.` });
  assert.deepEqual(late, { verdict: 'repeat the job', reason: 'The method is at version 1 now.' });
  assert.deepEqual(invalid, { verdict: 'give up', reason: '/method_label length' });
  assert.equal(verdictOn(new VersionMismatchError(3, 'id')).verdict, 'repeat the job');
  assert.equal(verdictOn(new Error('no stock')).reason, 'Error: no stock');
}

/** Runs the five programs in one application. */
export async function run(): Promise<void> {
  await testCheckout();
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
  try {
    await importMethods(app.get(ImportJob));
    await placeOrder(app.get(Checkout), app.get(DataSource));
    await sendMails(app.get(Outbox), app.get(OrderEventsService));
    await mapErrors(app.get(ShippingMethodsService));
    assert.equal(await app.get(ImportJob).switchOff(projectId, 'ups'), 2);
    assert.deepEqual(await app.get(Checkout).offers(cart), []);
  } finally {
    await app.close();
  }
}
