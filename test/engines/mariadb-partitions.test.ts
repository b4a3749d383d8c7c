import { readFileSync } from 'node:fs';
import { expectNoSchemaDrift, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshProject } from '../support/client.js';
import { addEvents } from '../support/rows.js';
import { type EngineDatabase, onMariadbAndMysql } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

// docs/scaling.md shows this SQL.

const sql = readFileSync(new URL('../../docs/scaling/key-partitions.sql', import.meta.url), 'utf8');

onMariadbAndMysql('on partitions by project, the module on', (server) => {
  let database: EngineDatabase;
  let host: EngineHost;
  beforeAll(async () => {
    database = await server.create();
    host = await hostOn(database);
    for (const statement of sql.split(';\n').filter((each) => each !== ''))
      await host.dataSource.query(statement);
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
  });

  for (const { title, run } of shippingContract(() => ({ origin: host.origin, orderEvents: host.events })))
    it(title, () => run());

  it('removes the histories of one project in batches, and of no other', async () => {
    const projects = Array.from({ length: 8 }, () => freshProject());
    for (const projectId of projects)
      await addEvents(host.dataSource.manager, { projectId, orderId: 'o' }, 1100);

    expect(await host.events.removeHistories(String(projects[0]))).toBe(1100);
    const left = await host.dataSource.query<{ n: string }[]>(
      'SELECT COUNT(*) AS n FROM shipping_order_event WHERE order_id = ? GROUP BY project_id',
      ['o'],
    );
    expect(left.filter(({ n }) => Number(n) === 1100)).toHaveLength(7);
  });

  it('reads one part for a history', async () => {
    const plan = await host.dataSource.query<{ partitions: string }[]>(
      `EXPLAIN ${server.name === 'MariaDB' ? 'PARTITIONS' : 'FORMAT = TRADITIONAL'} SELECT id FROM shipping_order_event
        WHERE project_id = 'p' AND order_id = 'o' ORDER BY occurred_at, seq`,
    );

    expect(plan.map(({ partitions }) => partitions)).toEqual([expect.stringMatching(/^p\d$/)]);
  });

  it('has no schema drift', () => expectNoSchemaDrift(host.dataSource));
});
