import { type INestApplication, type ModuleMetadata } from '@nestjs/common';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { ProblemDetailsFilter, ShippingModule } from 'nestjs-shipping';
import { type TestDatabase, testDatabase } from './database.js';
import { fastifyApp, listen, typeOrm } from './nest.js';

export const adapters = ['fastify', 'express'] as const;
export type Adapter = (typeof adapters)[number];

export interface TestApp {
  nest: INestApplication;
  database: TestDatabase;
  /** `http://127.0.0.1:port` */
  origin: string;
  close(): Promise<void>;
}

export interface TestAppOptions {
  adapter?: Adapter;
  database?: TestDatabase;
  shipping?: Parameters<typeof ShippingModule.forRoot>[0];
  /** Modules of the host. */
  imports?: ModuleMetadata['imports'];
}

/** A host with the module mounted, as Nest sets it up, with one limit for bodies. */
export async function testApp({
  adapter = 'fastify',
  database,
  shipping,
  imports = [],
}: TestAppOptions = {}): Promise<TestApp> {
  const own = database ?? (await testDatabase());
  const testing = await Test.createTestingModule({
    imports: [typeOrm(own), ShippingModule.forRoot({ isGlobal: true, ...shipping }), ...imports],
  }).compile();
  let nest: INestApplication;
  if (adapter === 'fastify') {
    nest = fastifyApp(testing);
  } else {
    const app = testing.createNestApplication<NestExpressApplication>(new ExpressAdapter(), {
      bodyParser: false,
      logger: ['error', 'warn'],
    });
    app.useGlobalFilters(new ProblemDetailsFilter());
    app.useBodyParser('json', { limit: '1mb' });
    nest = app;
  }
  const origin = await listen(nest);
  // A test may pause longer than the 5 seconds after which Node closes a connection, just when the next request is
  // sent.
  nest.getHttpServer().keepAliveTimeout = 120_000;
  return {
    nest,
    database: own,
    origin,
    close: async () => {
      await nest.close();
      if (!database) await own.close();
    },
  };
}
