import { type AddressInfo } from 'node:net';
import { type INestApplication, type ModuleMetadata } from '@nestjs/common';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ProblemDetailsFilter, ShippingModule } from 'nestjs-shipping';
import { configureHttp, httpAdapter } from '../../apps/sample/src/hardening/http.js';
import { type TestDatabase, testDatabase } from './database.js';

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

/** A host with the module mounted: on Fastify with the sample's HTTP setup, on Express with Nest's own. */
export async function testApp({
  adapter = 'fastify',
  database,
  shipping,
  imports = [],
}: TestAppOptions = {}): Promise<TestApp> {
  const own = database ?? (await testDatabase());
  const testing = await Test.createTestingModule({
    imports: [
      // The embedded database has one connection: the app shares the DataSource that the test has.
      TypeOrmModule.forRootAsync({
        useFactory: () => own.options,
        dataSourceFactory: () => Promise.resolve(own.dataSource),
      }),
      ShippingModule.forRoot({ isGlobal: true, ...shipping }),
      ...imports,
    ],
  }).compile();
  let nest: INestApplication;
  if (adapter === 'fastify') {
    const app = testing.createNestApplication<NestFastifyApplication>(httpAdapter(), {
      bodyParser: false,
      logger: ['error', 'warn'],
    });
    configureHttp(app);
    nest = app;
  } else {
    const app = testing.createNestApplication<NestExpressApplication>(new ExpressAdapter(), {
      bodyParser: false,
      logger: ['error', 'warn'],
    });
    app.useGlobalFilters(new ProblemDetailsFilter());
    app.useBodyParser('json', { limit: '1mb' });
    nest = app;
  }
  await nest.listen(0, '127.0.0.1');
  // A test may pause longer than the 5 seconds after which Node closes a connection, just when the next request is
  // sent.
  nest.getHttpServer().keepAliveTimeout = 120_000;
  const { port } = nest.getHttpServer().address() as AddressInfo;
  return {
    nest,
    database: own,
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      await nest.close();
      if (!database) await own.close();
    },
  };
}
