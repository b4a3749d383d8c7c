import { type ServerResponse } from 'node:http';
import { ConflictException, type ModuleMetadata } from '@nestjs/common';
import { ClsPluginTransactional, Transactional, TransactionHost } from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { ClsModule } from 'nestjs-cls';
import { ShippingMethods, ShippingModule, type ShippingRoute } from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import {
  addTransactionalDataSource,
  deleteDataSourceByName,
  initializeTransactionalContext,
  Transactional as TypeOrmTransactional,
} from 'typeorm-transactional';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, platformNames, typeOrm } from './host.js';
import { wrapping } from './route-wrapper.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe.each(platformNames)('a route with Transactional() on %s,', (platform) => {
  let database: TestDatabase;
  let host: Host | undefined;
  beforeAll(async () => {
    database = await testDatabase();
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
    ],
    [
      'of typeorm-transactional',
      () => TypeOrmTransactional({ connectionName: platform }),
      (http) => [ShippingModule.forRoot({ http })],
    ],
  ];

  it.each(libraries)(
    '%s commits a change before its answer leaves, and an error rolls it back',
    async (_library, make, modules) => {
      const hadLeft: boolean[] = [];
      const noting = wrapping(async (next, [, response]) => {
        const answer = await next();
        const { raw = response } = response as { raw?: unknown };
        hadLeft.push((raw as ServerResponse).headersSent);
        return answer;
      });
      const refusing = wrapping(async (next, [request]) => {
        const answer = await next();
        const { headers } = request as { headers: Record<string, string> };
        if (headers['x-fail']) throw new ConflictException('audited');
        return answer;
      });
      const route = [noting, make(), refusing];
      const http = { routeDecorators: { create: route, update: route, remove: route } };
      const testing = await compiled([typeOrm(database), ...modules(http)]);
      host = await listening(testing, () => undefined, platform);
      const shop = new Client(host.origin, freshProject());
      const stored = async () =>
        (await host?.app.get(ShippingMethods).list(shop.project))?.data.map(({ version }) => version);
      const fail = { 'x-fail': '1' };

      const created = await shop.create(ground);
      const { id } = created.body;
      const refused = [
        await shop.create({ ...ground, method_code: '04' }, fail),
        await shop.update(id, { ...ground, sort_order: 1 }, fail),
        await shop.remove(id, fail),
      ];
      const afterRefusals = await stored();
      const updated = await shop.update(id, { ...ground, sort_order: 1 });
      const removed = await shop.remove(id);

      expect([created.status, updated.status, removed.status]).toEqual([201, 200, 204]);
      expect(updated.body).toMatchObject({ version: 2, etag: '"2"' });
      expect(refused.map(({ status }) => status)).toEqual([409, 409, 409]);
      expect(afterRefusals).toEqual([1]);
      expect(await stored()).toEqual([]);
      expect(hadLeft).toEqual([false, false, false]);
    },
  );
});
