import { type TestingModule } from '@nestjs/testing';
import {
  DatabaseUnavailableError,
  OrderEventsService,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { QueryFailedError } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { compiled, typeOrm } from '../embedding/host.js';
import { freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { ShopsService } from './shops.service.js';

// docs/guide/tenants.md shows this code.

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
const paket = { carrier_code: 'dhl', method_code: 'P', method_label: 'Paket' };

describe('a shop', () => {
  let database: TestDatabase;
  let testing: TestingModule;
  let methods: ShippingMethodsService;
  let shops: ShopsService;
  let failures: unknown[] = [];
  let shop = '';
  beforeAll(async () => {
    database = await testDatabase();
    const hook = async (): Promise<void> => {
      const failure = failures.shift();
      if (failure) throw failure;
    };
    const shipping = ShippingModule.forRoot({ isGlobal: true, beforeCommit: { change: hook } });
    testing = await compiled([typeOrm(database), shipping], { providers: [ShopsService] });
    await testing.init();
    methods = testing.get(ShippingMethodsService);
    shops = testing.get(ShopsService);
    await methods.upsertMany('default', [{ ...ground, meta: { days: 3 } }]);
  });
  afterAll(async () => {
    await testing?.close();
    await database?.close();
  });
  beforeEach(() => {
    shop = freshProject();
    failures = [];
  });

  const shown = async (project: string): Promise<unknown[]> =>
    (await methods.list(project)).data.map(({ method_label, meta, own }) => [method_label, meta, own]);

  it('opens with the defaults, once', async () => {
    await shops.open(shop);
    await shops.open(shop);

    expect(await shown(shop)).toEqual([
      ['Ground', { days: 3 }, expect.objectContaining({ meta: { days: 3 } })],
    ]);
  });

  it('is copied with its stored values, and inheriting methods still inherit', async () => {
    const copy = freshProject();
    await methods.upsertMany(shop, [{ ...ground, method_label: 'Own', use_default: true }, paket]);
    await methods.upsertMany(copy, [{ ...paket, method_code: 'kept' }]);

    const first = await shops.copy(shop, copy);
    const second = await shops.copy(shop, copy);

    expect([first, second]).toEqual([2, 0]);
    expect((await shown(copy)).toSorted()).toEqual([...(await shown(shop)), ['Paket', {}, {}]].toSorted());
  });

  it('is copied again after a lost race, and not after another error', async () => {
    const race = (): unknown => new DatabaseUnavailableError(new Error('faster'), 'race');
    await methods.create(shop, paket);

    failures = [race(), race()];
    expect(await shops.copy(shop, freshProject())).toBe(1);
    failures = [new Error('other'), race()];

    await expect(shops.copy(shop, freshProject())).rejects.toThrow('other');
  });

  it('is opened again when a statement of the host has lost a race', async () => {
    const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    const own = vi
      .spyOn(methods, 'adoptDefaults')
      .mockRejectedValueOnce(new QueryFailedError('UPDATE shop SET name = $1', [], deadlock));

    await shops.open(shop);

    expect([own.mock.calls.length, (await shown(shop)).length]).toEqual([2, 1]);
    own.mockRestore();
  });

  it('that is closed leaves no method and no event', async () => {
    const events = testing.get(OrderEventsService);
    await methods.create(shop, paket);
    await events.record({ projectId: shop, orderId: '1001' }, { type: 'order.placed' });

    await shops.close(shop);
    await shops.close(shop);

    expect([await shown(shop), await events.findAll({ projectId: shop, orderId: '1001' })]).toEqual([[], []]);
  });
});
