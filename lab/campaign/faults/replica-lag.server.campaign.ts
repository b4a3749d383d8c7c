import { OrderEventsService, shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../test/support/app.js';
import { Client } from '../../../test/support/client.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { createDatabase } from './host-database.js';

const rounds = sized({ ci: 20, long: 500 });

describe('a read replica that lags', () => {
  it('never serves a read, so each read sees the write before it', async () => {
    const [primary, replica] = [await createDatabase(), await createDatabase()];
    const type = primary.url.split(':')[0] as 'postgres' | 'mariadb' | 'mysql';
    const options = { type, entities: shippingEntities, migrations: shippingMigrations } as const;
    for (const database of [primary, replica]) {
      onTestFinished(() => database.drop());
      const migrated = { ...options, url: database.url, migrationsRun: true } as DataSourceOptions;
      await (await new DataSource(migrated).initialize()).destroy();
    }
    // It has the tables, but nothing has arrived in them.
    const replication = { master: { url: primary.url }, slaves: [{ url: replica.url }] };
    const dataSource = await new DataSource({ ...options, replication } as DataSourceOptions).initialize();
    const app = await testApp({
      database: {
        options,
        dataSource,
        isEmbedded: false,
        table: (name) => name,
        another: () => Promise.reject(new Error('One is enough.')),
        close: () => dataSource.destroy(),
      },
    });
    onTestFinished(() => app.close());
    const shop = new Client(app.origin, 'replicated');
    const events = app.nest.get(OrderEventsService);

    let stale = 0;
    for (let round = 1; round <= rounds; round++) {
      const codes = { carrier_code: 'ups', method_code: `m${round}` };
      const query = `q=m${round}&filter[method_code]=m${round}`;
      const { body: created } = await shop.create({ ...codes, method_label: 'First' });
      await events.record({ projectId: 'replicated', orderId: `${round}` }, { type: 'order.placed' });
      const before = await shop.list(query);
      await shop.update(created.id, { ...codes, method_label: 'Second' });
      const etag = { 'if-none-match': before.headers.get('etag') ?? '' };
      const [list, tree, history] = await Promise.all([
        shop.list(query, etag),
        shop.tree(),
        shop.events(`${round}`),
      ]);
      const inTree = tree.body.data[0]?.methods.find(({ id }) => id === created.id);
      const seen = [
        before.body.data[0]?.method_label === 'First',
        list.status === 200 && list.body.data[0]?.method_label === 'Second',
        inTree?.method_label === 'Second',
        history.body.data.length === 1,
      ];
      stale += seen.filter((current) => !current).length;
    }

    expect(await replica.query('SELECT id FROM shipping_method')).toEqual([]);
    report({
      name: 'read replica that lags',
      done: `${counted(rounds * 4)} reads after a write, an empty replica: ${stale} stale`,
      criterion: '0 stale',
      met: stale === 0,
    });
  });
});
