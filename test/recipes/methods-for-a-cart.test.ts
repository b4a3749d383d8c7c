import { type TestingModule } from '@nestjs/testing';
import { ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, type Host, listening, typeOrm } from '../embedding/host.js';
import { Client } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Cart, CartMethods, checkRules, fits } from './cart-methods.js';

// docs/recipes/methods-for-a-cart.md shows this code.

const cart: Cart = { grams: 1200, country: 'DE', total: 4999, time: '10:00' };

it.each([
  ['no rules', {}, cart, true],
  ['rules that are null', { maxGrams: null, countries: null, minTotal: null, orderBefore: null }, cart, true],
  ['just the weight that is allowed', { maxGrams: 1200 }, cart, true],
  ['a gram too much', { maxGrams: 1199 }, cart, false],
  ['one of the countries', { countries: ['AT', 'DE'] }, cart, true],
  ['another country', { countries: ['AT'] }, cart, false],
  ['just the total', { minTotal: 4999 }, cart, true],
  ['a cent too little', { minTotal: 5000 }, cart, false],
  ['a minute before the hour', { orderBefore: '14:00' }, { ...cart, time: '13:59' }, true],
  ['the hour', { orderBefore: '14:00' }, { ...cart, time: '14:00' }, false],
  ['one rule of two', { maxGrams: 5000, countries: ['AT'] }, cart, false],
])('%s', (_case, rules, of, expected) => {
  expect(fits(rules, of)).toBe(expected);
});

describe('the methods of a cart', () => {
  let database: TestDatabase;
  let testing: TestingModule;
  let host: Host;
  beforeAll(async () => {
    database = await testDatabase();
    const shipping = ShippingModule.forRoot({ isGlobal: true, beforeCommit: { change: checkRules } });
    testing = await compiled([typeOrm(database), shipping], { providers: [CartMethods] });
    host = await listening(testing);
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  const letter = { carrier_code: 'dhl', method_code: 'letter', method_label: 'Letter', sort_order: 1 };
  const paket = { carrier_code: 'dhl', method_code: 'paket', method_label: 'Paket', sort_order: 2 };
  const courier = { carrier_code: 'go', method_code: 'today', method_label: 'Today', sort_order: 3 };

  it('are those whose rules the cart meets, in the order of the list', async () => {
    await testing.get(ShippingMethodsService).upsertMany('acme', [
      { ...courier, meta: { orderBefore: '14:00', countries: ['DE'], price: 900 } },
      { ...paket, meta: { maxGrams: 31_500 } },
      { ...letter, meta: { maxGrams: 500 } },
    ]);

    const labels = async (of: Cart): Promise<string[]> =>
      (await testing.get(CartMethods).of('acme', of)).map(({ method_label }) => method_label);

    expect(await labels(cart)).toEqual(['Paket', 'Today']);
    expect((await testing.get(CartMethods).of('acme', cart)).map(({ meta }) => meta['price'])).toEqual([
      undefined,
      900,
    ]);
    expect(await labels({ ...cart, grams: 20 })).toEqual(['Letter', 'Paket', 'Today']);
    expect(await labels({ ...cart, country: 'FR', time: '18:30' })).toEqual(['Paket']);
  });

  it.each([
    ['a rule that is unknown', { maxKilos: 3 }],
    ['a value of the wrong type', { maxGrams: '500' }],
    ['a country that there is not', { countries: ['DE', 'XX'] }],
    ['a country that is no list', { countries: 'DE' }],
    ['an hour that there is not', { orderBefore: '25:00' }],
  ])('are never decided by %s: the write is refused', async (_case, meta) => {
    const shop = new Client(host.origin, 'globex');

    const { status, body } = await shop.create({ ...letter, meta });

    expect([status, (await shop.list()).body.data]).toEqual([400, []]);
    expect((body as { message?: unknown }).message).toContainEqual(expect.stringContaining('meta: '));
  });

  it('are never decided by bad rules behind inherited ones: the write is refused', async () => {
    const methods = testing.get(ShippingMethodsService);
    await methods.create('default', { ...letter, meta: { maxGrams: 500 } });

    const hidden = methods.create('initech', { ...letter, use_default: true, meta: { maxGrams: 0 } });

    await expect(hidden).rejects.toThrow('Bad Request');
  });
});
