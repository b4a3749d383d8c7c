import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { afterAll, beforeAll } from 'vitest';
import { type TestApp, testApp, type TestAppOptions } from './support/app.js';
import { Client, freshProject } from './support/client.js';

/** A host of the module, which runs during the tests of a file or a `describe`. */
export class Mounted {
  app!: TestApp;

  get methods(): ShippingMethodsService {
    return this.app.nest.get(ShippingMethodsService);
  }

  get events(): OrderEventsService {
    return this.app.nest.get(OrderEventsService);
  }

  get dataSource(): DataSource {
    return this.app.database.dataSource;
  }

  /** A client of a project that no other test uses. */
  shop(): Client {
    return new Client(this.app.origin, freshProject());
  }
}

export function mounted(options: TestAppOptions = {}): Mounted {
  const host = new Mounted();
  beforeAll(async () => {
    host.app = await testApp(options);
  });
  afterAll(() => host.app?.close());
  return host;
}
