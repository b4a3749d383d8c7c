import { randomUUID } from 'node:crypto';
import { OrderEvents, shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../support/app.js';
import { Client } from '../../support/client.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { Cluster, hasClusters } from './cluster.js';

const rounds = sized({ ci: 0, long: 500 });

describe.skipIf(!hasClusters || rounds === 0)('a read replica that lags', () => {
  it('never answers a read: each read sees the write before it', async () => {
    const primary = await Cluster.primary();
    onTestFinished(() => primary.remove());
    const options = {
      type: 'postgres',
      driver: pg,
      entities: shippingEntities,
      migrations: shippingMigrations,
    } as const;
    const migrated = await new DataSource({ ...options, url: primary.url, migrationsRun: true }).initialize();
    await migrated.destroy();
    const replica = await primary.standby('replica');
    onTestFinished(() => replica.remove());
    await onReplica(replica, 'SELECT pg_wal_replay_pause()');
    const dataSource = await new DataSource({
      ...options,
      replication: { master: { url: primary.url }, slaves: [{ url: replica.url }] },
    }).initialize();
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

    let stale = 0;
    for (let round = 1; round <= rounds; round++) {
      const codes = { carrier_code: 'ups', method_code: `m${round}` };
      const { body: created } = await shop.create({ ...codes, method_label: 'First' });
      const order = randomUUID();
      await app.nest
        .get(OrderEvents)
        .record({ projectId: 'replicated', orderId: order, type: 'order.placed' });
      const before = await shop.list(`q=m${round}&filter[method_code]=m${round}`);
      await shop.update(created.id, { ...codes, method_label: 'Second' });
      const etag = { 'if-none-match': before.headers.get('etag') ?? '' };
      const [list, tree, events] = await Promise.all([
        shop.list(`q=m${round}&filter[method_code]=m${round}`, etag),
        shop.tree(),
        shop.events(order),
      ]);
      const inTree = tree.body.data[0]?.methods.find(({ id }) => id === created.id);
      const seen = [
        before.body.data[0]?.method_label === 'First',
        list.status === 200 && list.body.data[0]?.method_label === 'Second',
        inTree?.method_label === 'Second',
        events.body.data.length === 1,
      ];
      stale += seen.filter((current) => !current).length;
    }

    const behind = await onReplica<{ rows: string }>(replica, 'SELECT count(*) AS rows FROM shipping_method');
    expect(behind).toEqual([{ rows: '0' }]);
    report({
      name: 'read replica that lags',
      done: `${counted(rounds * 4)} reads after a write, the replica paused: ${stale} stale`,
      criterion: '0 stale',
      database: 'PostgreSQL, primary and replica',
      met: stale === 0,
    });
  });
});

async function onReplica<Row extends pg.QueryResultRow>(replica: Cluster, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: replica.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
