import { type NestExpressApplication } from '@nestjs/platform-express';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Client, freshProject, ground } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, listening, typeOrm } from './host.js';

interface Response {
  json(payload: unknown): unknown;
  send(body: unknown): unknown;
}

/** Functions that a middleware of the host puts in place of those of Express. */
const middlewares: Record<string, (response: Response) => void> = {
  json: (response) => {
    const json = response.json.bind(response);
    response.json = (payload) => json({ by: 'host', payload });
  },
  send: (response) => {
    const send = response.send.bind(response);
    response.send = (body) => send(typeof body === 'string' ? `{"by":"host","payload":${body}}` : body);
  },
};

describe('a middleware of Express', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it.each(Object.entries(middlewares))('that replaces %s() gets each response', async (_name, replace) => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    const host = await listening(testing, (app) =>
      (app as NestExpressApplication).use((_request: unknown, response: Response, next: () => void) => {
        replace(response);
        next();
      }),
    );
    onTestFinished(() => host.app.getHttpServer().close());
    const shop = new Client(host.origin, freshProject());

    const responses = [
      await shop.create(ground),
      await shop.list(),
      await shop.tree(),
      await shop.events('o'),
    ];

    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
    for (const { text } of responses) expect(text).toMatch(/^\{"by":/);
    // Express makes the ETag from the text that is sent.
    const tags = responses.slice(1).map(({ headers }) => headers.get('etag') ?? '');
    expect(tags.map((tag) => tag.slice(0, 3))).toEqual(['W/"', 'W/"', 'W/"']);
  });
});

it('an onSend hook of Fastify gets an error as text', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
  const hook = (app: NestFastifyApplication): unknown =>
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onSend', (_request, _reply, payload, done) =>
        done(null, (payload as string).replace('{', '{"by":"host",')),
      );
  const host = await listening(testing, (app) => hook(app as NestFastifyApplication), 'Fastify');
  onTestFinished(() => host.app.getHttpServer().close());

  const error = await new Client(host.origin, freshProject()).list('page=0');

  expect([error.status, error.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
  expect(error.text).toMatch(/^\{"by":/);
});
