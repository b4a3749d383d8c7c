import { type TestingModule } from '@nestjs/testing';
import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { Gauge, Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiled, typeOrm } from '../embedding/host.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

// docs/operations.md shows this code.

let database: TestDatabase;
let testing: TestingModule;
beforeAll(async () => {
  database = await testDatabase();
  testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
  await testing.init();
});
afterAll(async () => {
  await testing?.close();
  await database?.close();
});

it('prom-client asks for the gauges of the cache when it is asked itself', async () => {
  const register = new Registry();
  const methods = testing.get(ShippingMethods);
  for (const name of ['bytes', 'entries', 'hits', 'misses', 'lookUps'] as const) {
    const gauge: Gauge = new Gauge({
      name: `shipping_cache_${name.toLowerCase()}`,
      help: `${name} of the cache of shipping methods`,
      registers: [],
      collect: () => gauge.set(methods.cacheStats()[name]),
    });
    register.registerMetric(gauge);
  }

  await methods.list('acme');
  await methods.list('acme');
  const text = await register.metrics();

  expect(text).toMatch(/^shipping_cache_entries 1$/m);
  expect(text).toMatch(/^shipping_cache_hits 1$/m);
  expect(text).toMatch(/^shipping_cache_misses 1$/m);
  expect(text).toMatch(/^shipping_cache_bytes [1-9]\d*$/m);
});
