import { type INestApplication, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  OrderEventsService,
  shippingEntities,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import {
  embeddedPostgresOptions,
  embeddedTypeOrmModule,
  expectNoSchemaDrift,
  shippingContract,
  testTypeOrmModule,
  type TestTypeOrmModuleOptions,
} from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { otherEngines } from '../support/other-engines.js';
import { AppModule, database } from './app.module.js';
import cliDataSource from './data-source.js';
import { onMariadb, onSqlite } from './engines.js';

// docs/start.md shows this code.

/** What an existing backend has in its main.ts. */
function setup(app: INestApplication): void {
  app.enableCors({
    origin: 'https://admin.example.com',
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'If-Match', 'If-None-Match'],
    exposedHeaders: ['ETag', 'Location', 'Retry-After'],
  });
}

describe('the first mount', () => {
  let app: INestApplication;
  let origin: string;
  beforeAll(async () => {
    const testing = await Test.createTestingModule({ imports: [AppModule] })
      .overrideModule(database)
      .useModule(embeddedTypeOrmModule())
      .compile();
    app = testing.createNestApplication({ logger: ['error', 'warn'] });
    setup(app);
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
  });
  afterEach(() => vi.unstubAllEnvs());
  afterAll(() => app?.close());

  it('of the README keeps the contract, in a test with an embedded database', async () => {
    vi.stubEnv('SHIPPING_KEY', 'open');
    const headers = { authorization: 'Bearer open' };
    const target = { origin, headers, orderEvents: app.get(OrderEventsService) };

    for (const { run } of shippingContract(() => target)) await run();
  });

  it.each([
    [undefined, 'Bearer undefined'],
    ['open', 'Bearer shut'],
  ])('of the README refuses a caller without its key: %s', async (key, authorization) => {
    vi.stubEnv('SHIPPING_KEY', key);
    const url = `${origin}/api/projects/acme/sales/orders/shipments/methods`;

    expect((await fetch(url, { headers: { authorization } })).status).toBe(403);
  });

  it('allows a browser on another origin what the routes need', async () => {
    const url = `${origin}/api/projects/acme/sales/orders/shipments/methods`;
    const from = 'https://admin.example.com';

    const asked = { 'access-control-request-method': 'PATCH', origin: from };
    const preflight = await fetch(`${url}/x`, { method: 'OPTIONS', headers: asked });
    vi.stubEnv('SHIPPING_KEY', 'open');
    const list = await fetch(url, { headers: { origin: from, authorization: 'Bearer open' } });

    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('If-Match');
    expect(list.headers.get('access-control-expose-headers')).toContain('ETag');
  });

  it('has a DataSource for the CLI, whose migrations run and can be reverted', async () => {
    const { entities, migrations } = cliDataSource.options;
    const globs = (named: unknown): unknown[] =>
      (named as unknown[]).filter((each) => typeof each !== 'string');
    const dataSource = new DataSource({
      ...(await embeddedPostgresOptions()),
      entities: globs(entities) as typeof shippingEntities,
      migrations: globs(migrations) as [],
    });
    await dataSource.initialize();

    await dataSource.runMigrations();
    await expectNoSchemaDrift(dataSource);
    for (const _ of dataSource.migrations) await dataSource.undoLastMigration();

    expect(await dataSource.createQueryRunner().hasTable('shipping_method')).toBe(false);
    await dataSource.destroy();
  });
});

it('a test can override a TypeOrmModule.forRootAsync() in a constant like one of forRoot()', async () => {
  const broken = TypeOrmModule.forRootAsync({
    useFactory: () => Promise.reject(new Error('The database of the host is not for tests.')),
  });
  @Module({ imports: [broken, ShippingModule.forRoot()] })
  class AsyncAppModule {}

  const testing = await Test.createTestingModule({ imports: [AsyncAppModule] })
    .overrideModule(broken)
    .useModule(embeddedTypeOrmModule())
    .compile();

  expect((await testing.get(ShippingMethodsService).list('acme')).meta.total).toBe(0);
  await testing.close();
});

for (const { title, isMissing, options } of otherEngines) {
  describe.skipIf(isMissing)(`the DataSource options of docs/start.md on ${title}`, () => {
    it('give a database that works', async () => {
      const shown = options.type === 'better-sqlite3' ? onSqlite : onMariadb;
      const { type: _shown, ...settings } = shown;
      const testing = await Test.createTestingModule({
        imports: [
          testTypeOrmModule({ ...settings, ...options } as TestTypeOrmModuleOptions),
          ShippingModule.forRoot(),
        ],
      }).compile();

      const codes = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
      const { etag } = await testing.get(ShippingMethodsService).create('acme', codes);

      expect(etag).toBe('"1"');
      await testing.close();
    });
  });
}
