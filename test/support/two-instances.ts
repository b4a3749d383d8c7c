import { ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, beforeAll } from 'vitest';
import { type TestApp, testApp, type TestAppOptions } from './app.js';
import { Client } from './client.js';
import { type TestDatabase, testDatabase } from './database.js';

/** Two applications on one database, which run during the tests of a file or a `describe`. */
export class TwoInstances {
  apps!: [one: TestApp, other: TestApp];

  private both<Made>(make: (app: TestApp) => Made): [one: Made, other: Made] {
    const [one, other] = this.apps;
    return [make(one), make(other)];
  }

  get methods(): [one: ShippingMethodsService, other: ShippingMethodsService] {
    return this.both(({ nest }) => nest.get(ShippingMethodsService));
  }

  clients(project: string): [one: Client, other: Client] {
    return this.both(({ origin }) => new Client(origin, project));
  }
}

export function twoInstances(shipping: TestAppOptions['shipping'] = {}): TwoInstances {
  const instances = new TwoInstances();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
    const start = async () => testApp({ database: await database.another(), shipping });
    instances.apps = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    for (const app of instances.apps ?? []) await app.close();
    await database?.close();
  });
  return instances;
}
