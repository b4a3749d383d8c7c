import { type NestMiddleware, ForbiddenException, type MiddlewareConsumer, Module } from '@nestjs/common';
import { ProblemDetailsFilter, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/bad-inputs-wire.js';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const good = JSON.stringify({ carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' });
const json = { 'content-type': 'application/json' };

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

describe.each(platformNames)('with ProblemDetailsFilter and Nest’s own body parser on %s,', (platform) => {
  let database: TestDatabase;
  let host: Host;
  let path: string;
  beforeAll(async () => {
    database = await testDatabase();
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot(), ClosedModule]);
    host = await listening(testing, (app) => app.useGlobalFilters(new ProblemDetailsFilter()), platform);
    path = `${new Client(host.origin, freshProject()).base}/shipments/methods`;
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  // Fastify does not unpack it. Express does, and its error has no public field that tells of JSON.
  const notGzip = platform === 'Express' ? 'bad_request' : 'invalid_json';

  it.each<[given: string, headers: Record<string, string>, body: string, status: number, code: string]>([
    ['a body of 2 MB', json, good.padEnd(2_000_000), 413, 'payload_too_large'],
    [
      'the charset koi8',
      { 'content-type': 'application/json; charset=koi8' },
      good,
      415,
      'unsupported_media_type',
    ],
    ['the coding nope', { ...json, 'content-encoding': 'nope' }, good, 415, 'unsupported_media_type'],
    ['a body that is not gzip', { ...json, 'content-encoding': 'gzip' }, 'UPS', 400, notGzip],
  ])('%s is refused with its own status and code', async (_given, headers, body, status, code) => {
    const answer = await send(host.origin, 'POST', path, headers, body);

    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(JSON.parse(answer.text)).toMatchObject({ status, code });
  });

  it.each([
    ['a missing route', '/nowhere', 404, 'not_found'],
    ['a request that a middleware refuses', '/closed', 403, 'forbidden'],
  ])('%s is answered with a problem too', async (_given, url, status, code) => {
    const answer = await send(host.origin, 'GET', url);

    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(JSON.parse(answer.text)).toMatchObject({ status, code });
  });
});
