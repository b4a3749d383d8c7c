import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ClassSerializerInterceptor,
  type ClassSerializerInterceptorOptions,
  type INestApplication,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ShippingModule } from 'nestjs-shipping';
import { catchError, from, lastValueFrom, of, tap } from 'rxjs';
import { type EntityManager } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';

const maintenance: NestInterceptor = { intercept: () => of({ maintenance: true }) };
const apologising: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(catchError(() => of({ sorry: true }))),
};

describe.each(platformNames)('on %s, an interceptor', (platform) => {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  // The embedded database has one connection for all hosts: closing the app would close it too.
  afterEach(() => host?.app.getHttpServer().close());
  afterAll(() => database?.close());

  const mounted = async (...interceptors: NestInterceptor[]): Promise<Client> => {
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
    host = await listening(testing, (app) => app.useGlobalInterceptors(...interceptors), platform);
    return new Client(host.origin, freshProject());
  };

  it('can answer a read in our place', async () => {
    const shop = await mounted(maintenance);

    const answers = [await shop.list(), await shop.tree(), await shop.events('o')];

    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => ({ maintenance: true })));
  });

  it('can replace the refusal of a read', async () => {
    const shop = await mounted(apologising);

    const answers = [
      await shop.list('page=0'),
      await new Client(shop.origin, '%20').tree(),
      await shop.events('%20'),
    ];

    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => ({ sorry: true })));
  });

  it.each<[how: string, ClassSerializerInterceptorOptions]>([
    ['exposes nothing', { strategy: 'excludeAll' }],
    ['exposes a group', { strategy: 'excludeAll', groups: ['admin'] }],
    ['excludes prefixes', { excludePrefixes: ['_', 'm'] }],
    ['shows one version', { version: 1, exposeUnsetFields: false }],
  ])(
    'that serialises and %s hides nothing, also where a transaction delays the answer',
    async (_how, options) => {
      const ambient = new AsyncLocalStorage<EntityManager>();
      const inTransaction: NestInterceptor = {
        intercept: (_context, next) =>
          from(
            database.dataSource.transaction((manager) =>
              ambient.run(manager, () => lastValueFrom(next.handle(), { defaultValue: undefined })),
            ),
          ),
      };
      const testing = await compiled([
        typeOrm(database),
        ShippingModule.forRoot({ entityManager: () => ambient.getStore() }),
      ]);
      const serialising = (app: INestApplication): NestInterceptor =>
        new ClassSerializerInterceptor(app.get(Reflector), options);
      host = await listening(
        testing,
        (app) => app.useGlobalInterceptors(serialising(app), inTransaction),
        platform,
      );
      const shop = new Client(host.origin, freshProject());
      const meta = { _own: 1, method: { _deep: [null, { m: 'x' }] }, at: '2026-01-01' };
      const sent = { carrier_code: 'a', method_code: 'b', method_label: 'c', meta };

      const created = await shop.create(sent);
      const updated = await shop.update(created.body.id, { ...sent, meta: { ...meta, _more: {} } });
      const { data } = (await shop.list()).body;

      expect(created.body).toMatchObject({ ...sent, carrier_label: null, version: 1 });
      expect(updated.body.meta).toEqual({ ...meta, _more: {} });
      expect([updated.body]).toEqual(data);
    },
  );

  it.runIf(platform === 'Fastify')(
    'that looks at a value leaves its JSON to the serializer of the host',
    async () => {
      const looking: NestInterceptor = {
        intercept: (_context, next) => next.handle().pipe(tap(JSON.stringify)),
      };
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
      host = await listening(
        testing,
        (app) => {
          const fastify = (app as NestFastifyApplication).getHttpAdapter().getInstance();
          fastify.setReplySerializer((payload) => JSON.stringify({ by: 'host', payload }));
          app.useGlobalInterceptors(looking);
        },
        platform,
      );
      const shop = new Client(host.origin, freshProject());

      const answers = [await shop.list(), await shop.tree(), await shop.events('o')];

      expect(answers.map(({ body }) => body)).toMatchObject(answers.map(() => ({ by: 'host' })));
    },
  );
});
