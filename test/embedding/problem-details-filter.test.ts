import { type NestMiddleware, ForbiddenException, type MiddlewareConsumer, Module } from '@nestjs/common';
import { ProblemDetailsFilter, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/bad-inputs-wire.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

class Closed implements NestMiddleware {
  use(): void {
    throw new ForbiddenException('Closed.');
  }
}

@Module({})
class ClosedModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(Closed).forRoutes('closed');
  }
}

describe.each(platformNames)('a host with ProblemDetailsFilter on %s', (platform) => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await testDatabase();
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot(), ClosedModule]);
    host = await listening(testing, (app) => app.useGlobalFilters(new ProblemDetailsFilter()), platform);
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  it.each([
    ['a missing route', '/nowhere', 404, 'not_found'],
    ['a request that a middleware refuses', '/closed', 403, 'forbidden'],
  ])('responds to %s with a problem', async (_given, url, status, code) => {
    const response = await send(host.origin, 'GET', url);

    expect([response.status, response.headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(JSON.parse(response.text)).toMatchObject({ status, code });
  });
});
