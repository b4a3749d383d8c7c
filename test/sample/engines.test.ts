import { randomUUID } from 'node:crypto';
import { type INestApplication } from '@nestjs/common';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connection, schema } from '../../apps/sample/src/database.js';
import { fillDemo } from '../../apps/sample/src/demo.js';
import { ShopOrder } from '../../apps/sample/src/shop/shop-order.entity.js';
import { Client } from '../support/client.js';
import { listen } from '../support/nest.js';
import { mariadbUrl, mysqlUrl, otherEngines } from '../support/other-engines.js';
import { createApp } from './sample-app.js';

const servers = otherEngines.filter(({ options }) => options.type !== 'better-sqlite3');

describe.each(servers)('the sample on $title', ({ isMissing, options }) => {
  describe.skipIf(isMissing)('with DATABASE_URL', () => {
    const url = options.type === 'mysql' ? mysqlUrl : mariadbUrl;
    const name = `sample_${randomUUID()}`;
    let server: DataSource;
    let dataSource: DataSource;
    let app: INestApplication;
    let demo: Client;
    beforeAll(async () => {
      server = await new DataSource({ type: options.type as 'mysql' | 'mariadb', url }).initialize();
      await server.query(`CREATE DATABASE \`${name}\``);
      const settings = connection({ DATABASE_URL: Object.assign(new URL(url), { pathname: name }).href });
      dataSource = new DataSource({ ...settings, ...schema, migrationsRun: true } as DataSourceOptions);
      app = await createApp(await dataSource.initialize());
      await fillDemo(app);
      demo = new Client(await listen(app), 'demo');
    });
    afterAll(async () => {
      await app?.close();
      await server?.query(`DROP DATABASE \`${name}\``);
      await server?.destroy();
    });

    it('has entities that agree with its migrations', async () => {
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();

      expect(upQueries).toEqual([]);
    });

    it('fills the demo once, and keeps a method that an order refers to', async () => {
      await fillDemo(app);
      const { data } = (await demo.list('filter[method_code]=03')).body;

      const removal = await demo.remove(data[0]?.id ?? '');

      expect((await demo.list()).body.meta.total).toBe(10);
      expect((await demo.events('1001')).body.data).toHaveLength(11);
      expect(removal).toMatchObject({ status: 409, body: { code: 'method_in_use' } });
    });

    it('responds to many repeats with the same key with the same order', async () => {
      const place = (): Promise<{ status: number; body: { order_id?: string } }> =>
        demo.send(
          'POST',
          '/shops/demo/orders',
          { carrier_code: 'ups', method_code: '03' },
          { 'idempotency-key': 'a' },
        );
      const before = await dataSource.manager.count(ShopOrder);

      const placed = await Promise.all(Array.from({ length: 6 }, place));

      expect(placed.map(({ status }) => status)).toEqual(placed.map(() => 201));
      expect(new Set(placed.map(({ body }) => body.order_id)).size).toBe(1);
      expect(await dataSource.manager.count(ShopOrder)).toBe(before + 1);
    });
  });
});
