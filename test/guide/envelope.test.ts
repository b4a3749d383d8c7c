import { type INestApplication, SetMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { OrderEventsService, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { addShippingToDocument } from 'nestjs-shipping/openapi';
import { embeddedTypeOrmModule, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, ground } from '../support/client.js';
import { base, methods, read } from '../support/openapi.js';
import { documentEnvelopes, EnvelopeInterceptor, unwrap } from './envelope.js';

it('the envelope of the guide leaves marked routes as the API describes them', async () => {
  const plain = ShippingModule.forRoot({ http: { decorators: [SetMetadata('plain', true)] } });
  const testing = await Test.createTestingModule({ imports: [embeddedTypeOrmModule(), plain] }).compile();
  const app = testing.createNestApplication({ logger: ['error'] });
  app.useGlobalInterceptors(new EnvelopeInterceptor());
  await app.listen(0, '127.0.0.1');

  const { body } = await new Client(await app.getUrl(), 'acme').list();
  await app.close();

  expect(body).toEqual({ data: [], meta: { page: 1, per_page: 20, total: 0, total_pages: 0 } });
});

describe('the envelope of the guide', () => {
  let app: INestApplication;
  let origin: string;
  beforeAll(async () => {
    const imports = [embeddedTypeOrmModule(), ShippingModule.forRoot()];
    const testing = await Test.createTestingModule({ imports }).compile();
    app = testing.createNestApplication({ logger: ['error', 'warn'] });
    app.useGlobalInterceptors(new EnvelopeInterceptor());
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
  });
  afterAll(() => app?.close());

  const checks = shippingContract(() => ({ origin, orderEvents: app.get(OrderEventsService), unwrap }));
  for (const { title, run } of checks)
    it(`keeps the promise of the contract: ${title}`, () => expect(run()).resolves.toBeUndefined());

  it('wraps each response once, and the OpenAPI document describes it', async () => {
    const description = new DocumentBuilder().setOpenAPIVersion('3.1.0').build();
    const scan = SwaggerModule.createDocument(app, description);
    const { paths, components } = read(documentEnvelopes(addShippingToDocument(scan)));
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const shop = new Client(origin, 'acme');
    const { id } = await app.get(ShippingMethodsService).create('acme', ground);
    await app.get(OrderEventsService).record({ projectId: 'acme', orderId: '7' }, { type: 'order.placed' });

    const list = await shop.list();
    const responses = [
      ['post', methods, await shop.create({ ...ground, method_code: '01' })],
      ['get', methods, list],
      ['get', `${methods}/tree`, await shop.tree()],
      ['patch', `${methods}/{method_id}`, await shop.update(id, ground)],
      ['get', `${base}/{order_id}/events`, await shop.events('7')],
    ] as const;

    expect(list.body).toMatchObject({ ok: true, data: [{ id, ...ground }], meta: { total: 1 } });
    for (const [method, route, { status, body }] of responses) {
      const schema = paths[route]?.[method]?.responses[status]?.content?.['application/json']?.schema;
      const isDescribed = ajv.compile({ ...schema, components });
      const { ok, ...bare } = Object(body) as { ok?: boolean };
      expect([route, ok, isDescribed(body), isDescribed.errors]).toEqual([route, true, true, null]);
      expect(isDescribed(bare)).toBe(false);
    }
  });
});
