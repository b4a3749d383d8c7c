import { type ServerResponse } from 'node:http';
import { ConflictException, type INestApplication, type ModuleMetadata } from '@nestjs/common';
import { ClsPluginTransactional, Transactional, TransactionHost } from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { ClsModule } from 'nestjs-cls';
import { ShippingMethods, ShippingModule, type ShippingRoute } from 'nestjs-shipping';
import { DataSource, type EntityManager } from 'typeorm';
import {
  addTransactionalDataSource,
  deleteDataSourceByName,
  initializeTransactionalContext,
  Transactional as TypeOrmTransactional,
} from 'typeorm-transactional';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject, ground } from '../support/client.js';
import { engine, type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';
import { wrapping } from './route-wrapper.js';

describe.each(platformNames)('a route with Transactional() on %s,', (platform) => {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeAll(async () => {
    database = await testDatabase();
    await engine.prepareFailingCommits(database.dataSource.manager);
    initializeTransactionalContext();
    addTransactionalDataSource({ name: platform, dataSource: database.dataSource });
  });
  afterEach(() => host?.app.getHttpServer().close());
  afterAll(async () => {
    deleteDataSourceByName(platform);
    await database?.close();
  });

  const cls = ClsModule.forRoot({
    plugins: [
      new ClsPluginTransactional({
        adapter: new TransactionalAdapterTypeOrm({ dataSourceToken: DataSource }),
      }),
    ],
  });
  type Http = { routeDecorators: Partial<Record<ShippingRoute, MethodDecorator[]>> };
  type Cls = TransactionHost<TransactionalAdapterTypeOrm>;
  const libraries: [
    library: string,
    () => MethodDecorator,
    (http: Http) => NonNullable<ModuleMetadata['imports']>,
    /** Returns the manager of the transaction. */
    (app: INestApplication) => EntityManager,
  ][] = [
    [
      'of nestjs-cls',
      () => Transactional(),
      (http) => [
        cls,
        ShippingModule.forRootAsync({
          inject: [TransactionHost],
          useFactory: (transactions: Cls) => ({
            entityManager: () => (transactions.isTransactionActive() ? transactions.tx : undefined),
          }),
          http,
        }),
      ],
      (app) => app.get<Cls>(TransactionHost).tx,
    ],
    [
      'of typeorm-transactional',
      () => TypeOrmTransactional({ connectionName: platform }),
      (http) => [ShippingModule.forRoot({ http })],
      () => database.dataSource.manager,
    ],
  ];

  it.each(libraries)(
    '%s gets its response after the commit, and stores nothing if that fails',
    async (_library, make, modules, manager) => {
      const hadLeft: boolean[] = [];
      let failure: 'none' | 'an error' | 'a failing commit' = 'none';
      const noting = wrapping(async (next, parameters) => {
        const result = await next();
        const response = parameters.at(-1) as Partial<ServerResponse & { raw: ServerResponse }> | undefined;
        hadLeft.push((response?.raw ?? response)?.headersSent ?? false);
        return result;
      });
      const mapping = wrapping((next) =>
        next().catch((cause: unknown) => {
          throw failure === 'a failing commit' ? new ConflictException('Not committed.', { cause }) : cause;
        }),
      );
      const failing = wrapping(async (next) => {
        const result = await next();
        if (failure === 'a failing commit' && host) await engine.failCommit(manager(host.app));
        if (failure === 'an error') throw new ConflictException('audited');
        return result;
      });
      // Each decorator wraps those before it.
      const route = [failing, make(), mapping, noting];
      const http = { routeDecorators: { create: route, update: route, remove: route } };
      const testing = await compiled([typeOrm(database), ...modules(http)]);
      host = await listening(testing, () => undefined, platform);
      const shop = new Client(host.origin, freshProject());
      const stored = async () =>
        (await host?.app.get(ShippingMethods).list(shop.project))?.data.map(({ version }) => version);
      const refused = async (id: string) => [
        await shop.create({ ...ground, method_code: '04' }),
        await shop.update(id, { ...ground, sort_order: 1 }),
        await shop.remove(id),
      ];

      const created = await shop.create(ground);
      const { id } = created.body;
      failure = 'an error';
      const audited = await refused(id);
      failure = 'a failing commit';
      const uncommitted = await refused(id);
      failure = 'none';
      const afterErrors = await stored();
      const updated = await shop.update(id, { ...ground, sort_order: 1 });
      const removed = await shop.remove(id);

      expect([created.status, updated.status, removed.status]).toEqual([201, 200, 204]);
      expect(created.headers.get('location')).toBe(`${shop.base}/shipments/methods/${id}`);
      expect(updated.body).toMatchObject({ version: 2, etag: '"2"' });
      expect(audited.map(({ status, body }) => [status, body['message']])).toEqual(
        audited.map(() => [409, 'audited']),
      );
      expect(uncommitted.map(({ status, body }) => [status, body['message']])).toEqual(
        uncommitted.map(() => [409, 'Not committed.']),
      );
      for (const { headers } of [...audited, ...uncommitted]) {
        expect(headers.get('location')).toBeNull();
        // Express sends a weak ETag for each body. Ours is a strong one.
        expect(headers.get('etag') ?? 'W/').toMatch(/^W\//);
      }
      expect(afterErrors).toEqual([1]);
      expect(await stored()).toEqual([]);
      expect(hadLeft).toEqual([false, false, false]);
    },
  );
});
