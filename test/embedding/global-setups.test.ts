import { type AddressInfo } from 'node:net';
import { ClassSerializerInterceptor, type INestApplication, ValidationPipe } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OrderEventsService, ProblemDetailsFilter, ShippingModule } from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { MessageFilter } from './hostile-host.js';

const setups: Record<string, (app: INestApplication) => unknown> = {
  forbidNonWhitelisted: (app) =>
    app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true })),
  enableImplicitConversion: (app) =>
    app.useGlobalPipes(
      new ValidationPipe({
        transform: true,
        whitelist: true,
        forbidUnknownValues: true,
        validateCustomDecorators: true,
        transformOptions: { enableImplicitConversion: true },
      }),
    ),
  'serializer excludeAll': (app) =>
    app.useGlobalInterceptors(new ClassSerializerInterceptor(app.get(Reflector), { strategy: 'excludeAll' })),
  'catch-all filter': (app) => app.useGlobalFilters(new MessageFilter()),
  'problem filter': (app) => app.useGlobalFilters(new ProblemDetailsFilter()),
};

const platforms = {
  'Express, simple query parser': () => new ExpressAdapter(),
  'Express, extended query parser': () => new ExpressAdapter(),
  Fastify: () => new FastifyAdapter(),
};

/** A query parser matters only beside a pipe that transforms the query. */
const ofQueries = ['enableImplicitConversion'];

describe.each(Object.keys(platforms) as (keyof typeof platforms)[])('mounted in a host on %s', (platform) => {
  const chosen = platform === 'Express, extended query parser' ? ofQueries : Object.keys(setups);
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  describe.each(chosen)('with the global set-up "%s"', (setup) => {
    let app: INestApplication;
    let target: ContractTarget;
    beforeAll(async () => {
      const opened = await database.another();
      const testing = await Test.createTestingModule({
        imports: [
          TypeOrmModule.forRootAsync({
            useFactory: () => opened.options,
            dataSourceFactory: () => Promise.resolve(opened.dataSource),
          }),
          ShippingModule.forRoot(),
        ],
      }).compile();
      app = testing.createNestApplication<NestExpressApplication | NestFastifyApplication>(
        platforms[platform](),
        {
          logger: ['error', 'warn'],
        },
      );
      if (platform === 'Express, extended query parser') {
        (app as NestExpressApplication).set('query parser', 'extended');
      }
      setups[setup]?.(app);
      await app.listen(0, '127.0.0.1');
      const { port } = app.getHttpServer().address() as AddressInfo;
      target = {
        origin: `http://127.0.0.1:${port}`,
        orderEvents: app.get(OrderEventsService),
        defaultsProjectId: 'default',
      };
    });
    // The embedded database has one DataSource for all hosts: closing the app would close it too.
    afterAll(() => (database.isEmbedded ? app?.getHttpServer().close() : app?.close()));

    for (const { title, run } of shippingContract(() => target)) it(title, run);
  });
});
