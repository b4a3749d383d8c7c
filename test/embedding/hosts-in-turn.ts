import { type INestApplication } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, type Platform, typeOrm } from './host.js';

interface HostOptions {
  shipping?: Parameters<typeof ShippingModule.forRoot>[0];
  configure?: (app: INestApplication) => unknown;
}

/** Registers the hooks of a suite: its hosts have one database, and a test may start one or more of them. */
export function hostsInTurn(platform: Platform) {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  // The embedded database has one connection for all hosts: closing the app would close it too.
  const stop = (): unknown => host?.app.getHttpServer().close();
  afterEach(stop);
  afterAll(() => database?.close());
  return {
    get app(): INestApplication {
      if (!host) throw new Error('The test has started no host.');
      return host.app;
    },
    /** Ends the host before, and returns a client of a project that no other test uses. */
    async start({ shipping, configure }: HostOptions = {}): Promise<Client> {
      stop();
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot(shipping)]);
      host = await listening(testing, configure, platform);
      return new Client(host.origin, freshProject());
    },
  };
}
