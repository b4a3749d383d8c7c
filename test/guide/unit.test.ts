import { Test } from '@nestjs/testing';
import { getDataSourceToken } from '@nestjs/typeorm';
import { DatabaseUnavailableError, OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { orderEvent, shippingMethod } from 'nestjs-shipping/testing';
import { expect, it } from 'vitest';
import { Checkout, type PlacedOrder } from './checkout.js';

// docs/guide/tests.md shows this code.

it('a unit test of the checkout needs no database, even for a lost race', async () => {
  let attempts = 0;
  const race = new DatabaseUnavailableError(new Error('deadlock detected'), 'race');
  const recorded = { ...orderEvent({ type: 'order.placed' }), repeated: false };
  const record = () => (++attempts === 1 ? Promise.reject(race) : Promise.resolve(recorded));
  const findByCodes = () => Promise.resolve(shippingMethod({ method_label: 'UPS Ground' }));
  const manager = { save: (order: PlacedOrder) => Promise.resolve(order) };
  const transaction = (work: (fake: object) => Promise<unknown>) => work(manager);
  const testing = await Test.createTestingModule({
    providers: [
      Checkout,
      { provide: getDataSourceToken(), useValue: { transaction } },
      { provide: ShippingMethodsService, useValue: { findByCodes } },
      { provide: OrderEventsService, useValue: { record } },
    ],
  }).compile();

  const order = await testing.get(Checkout).place('acme', '1001', { carrier_code: 'ups', method_code: '03' });

  expect([order.methodLabel, attempts]).toEqual(['UPS Ground', 2]);
});
