import { gzipSync } from 'node:zlib';
import { OrderEventsService, ProblemDetailsFilter, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled, type Host, listening, platformNames, typeOrm } from '../embedding/host.js';
import { send } from '../support/bad-inputs-wire.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

// docs/express-and-fastify.md has most of these rows in a table.

const orders = '/api/projects/acme/sales/orders';
const methods = `${orders}/shipments/methods`;
const none = `${methods}/01900000-0000-7000-8000-000000000000`;
const json = { 'content-type': 'application/json' };
const body = JSON.stringify({ carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' });

interface Row {
  given: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  sent?: string | Buffer;
  /** The status, and the `code` if the error is a problem. */
  Express: string;
  Fastify: string;
}

const rows: Row[] = [
  {
    given: 'a slash at the end',
    method: 'GET',
    path: `${methods}/`,
    Express: '200',
    Fastify: '404 not_found',
  },
  {
    given: 'capital letters',
    method: 'GET',
    path: methods.replace('api', 'API'),
    Express: '200',
    Fastify: '404 not_found',
  },
  {
    given: 'an encoded letter',
    method: 'GET',
    path: methods.replace('shipments', 'shi%70ments'),
    Express: '404 not_found',
    Fastify: '200',
  },
  {
    given: 'charset=UTF8',
    method: 'POST',
    path: methods,
    headers: { 'content-type': 'application/json; charset=UTF8' },
    sent: '{}',
    Express: '415 unsupported_media_type',
    Fastify: '400 validation_failed',
  },
  {
    given: 'a path that is not UTF-8',
    method: 'GET',
    path: methods.replace('acme', '%FF'),
    Express: '400 invalid_parameter',
    Fastify: '400 FST_ERR_BAD_URL',
  },
  {
    given: 'a project of 101 characters',
    method: 'GET',
    path: methods.replace('acme', 'a'.repeat(101)),
    Express: '400 invalid_parameter',
    Fastify: '414 FST_ERR_MAX_PARAM_LENGTH',
  },
  {
    given: 'a method of 101 characters',
    method: 'DELETE',
    path: `${methods}/${'a'.repeat(101)}`,
    Express: '404 method_not_found',
    Fastify: '414 FST_ERR_MAX_PARAM_LENGTH',
  },
  {
    given: 'an empty body',
    method: 'POST',
    path: methods,
    headers: json,
    sent: '',
    Express: '400 validation_failed',
    Fastify: '400 invalid_json',
  },
  {
    given: 'an empty body',
    method: 'DELETE',
    path: none,
    headers: json,
    sent: '',
    Express: '404 method_not_found',
    Fastify: '400 invalid_json',
  },
  {
    given: 'a body without a type',
    method: 'POST',
    path: methods,
    sent: body,
    Express: '415 unsupported_media_type',
    Fastify: '415 unsupported_media_type',
  },
  {
    given: 'a body without a type',
    method: 'DELETE',
    path: none,
    sent: body,
    Express: '404 method_not_found',
    Fastify: '415 unsupported_media_type',
  },
  ...['null', '"text"', '1'].map((sent) => ({
    given: `the body ${sent}`,
    method: 'POST',
    path: methods,
    headers: json,
    sent,
    Express: '400 invalid_json',
    Fastify: '400 validation_failed',
  })),
  {
    given: 'a key __proto__',
    method: 'POST',
    path: methods,
    headers: json,
    sent: '{"__proto__":{}}',
    Express: '400 validation_failed',
    Fastify: '400 invalid_json',
  },
  {
    given: 'a body in UTF-16',
    method: 'POST',
    path: methods,
    headers: { 'content-type': 'application/json; charset=utf-16' },
    sent: Buffer.from(body, 'utf16le'),
    Express: '415 unsupported_media_type',
    Fastify: '400 invalid_json',
  },
  {
    given: 'a compressed body',
    method: 'POST',
    path: methods,
    headers: { ...json, 'content-encoding': 'gzip' },
    sent: gzipSync('{}'),
    Express: '400 validation_failed',
    Fastify: '400 invalid_json',
  },
  {
    given: 'a body of 200 KB',
    method: 'POST',
    path: methods,
    headers: json,
    sent: body.padEnd(200_000),
    Express: '413 payload_too_large',
    Fastify: '201',
  },
];

describe.each(platformNames)('as the page says, %s', (platform) => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await testDatabase();
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    host = await listening(testing, (app) => app.useGlobalFilters(new ProblemDetailsFilter()), platform);
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  it.each(rows)(
    'responds to $method with $given',
    async ({ method, path, headers, sent, [platform]: expected }) => {
      const { status, text } = await send(host.origin, method, path, headers, sent);

      const { code } = JSON.parse(text) as { code?: string };
      expect([status, code].join(' ').trim()).toBe(expected);
    },
  );

  it('sends a history with a weak ETag on Express, and with none on Fastify', async () => {
    await host.app
      .get(OrderEventsService)
      .record({ projectId: 'acme', orderId: '1' }, { type: 'order.placed' });

    const { headers } = await send(host.origin, 'GET', `${orders}/1/events`);

    expect(headers['etag']?.startsWith('W/')).toBe(platform === 'Express' ? true : undefined);
  });

  it('allows PATCH to other origins on Express, and not on Fastify', async () => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    const { app, origin } = await listening(testing, (other) => other.enableCors(), platform);

    const headers = { origin: 'https://admin.example.com', 'access-control-request-method': 'PATCH' };
    const response = await send(origin, 'OPTIONS', none, headers);
    await app.close();

    const allowed = String(response.headers['access-control-allow-methods']);
    expect(allowed.includes('PATCH')).toBe(platform === 'Express');
  });
});
