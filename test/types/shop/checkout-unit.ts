import assert from 'node:assert/strict';
import { type OrderEventsService, type ShippingMethodsService } from 'nestjs-shipping';
import { orderEvent, shippingMethod } from 'nestjs-shipping/testing';
import { type Cart, Checkout } from './checkout.js';

/** A unit test of the checkout, without a database and without Nest. */
export async function testCheckout(): Promise<void> {
  const recorded: unknown[] = [];
  const offered = [
    shippingMethod({ method_label: 'Letter', meta: { max_weight_kg: 1 } }),
    shippingMethod({ method_label: 'Parcel' }),
  ];
  const methods: Pick<ShippingMethodsService, 'findActive' | 'findByCodes'> = {
    findActive: async () => offered,
    findByCodes: async (_projectId, { method_code }) => shippingMethod({ is_active: method_code === '03' }),
  };
  const events: Pick<OrderEventsService, 'record'> = {
    record: async ({ orderId }, { type, data }) => {
      recorded.push(data);
      return { ...orderEvent({ type, order_id: orderId }), repeated: false };
    },
  };
  const checkout = new Checkout(methods, events);
  const cart: Cart = {
    projectId: 'acme',
    orderId: '1001',
    carrier_code: 'ups',
    method_code: '03',
    weight: 2,
    total: '5.00',
  };

  assert.deepEqual(await checkout.offers(cart), ['Parcel']);
  assert.equal(await checkout.place(cart), true);
  await assert.rejects(checkout.place({ ...cart, method_code: '01' }), /another shipping method/);
  assert.deepEqual(recorded, [{ total: '5.00', coupon: undefined }]);
}
