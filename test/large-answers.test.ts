import { get } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from './support/app.js';
import { Client, freshProject } from './support/client.js';

const mebibyte = 1024 * 1024;

describe('a large answer', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());

  it('of 100,000 events is complete, and takes less than 20 MB of memory', async () => {
    const shop = new Client(app.origin, freshProject());
    await app.database.dataSource.query(
      `INSERT INTO ${app.database.table('shipping_order_event')}
         (project_id, order_id, occurred_at, id, type, message, data, recorded_at)
       SELECT $1, 'huge', to_timestamp(n / 7), gen_random_uuid(), 'note.added', 'Event ' || n, '{"n": 1}', now()
       FROM generate_series(1, 100000) AS n`,
      [shop.project],
    );
    const before = liveMemory();
    let peak = before;

    let bytes = 0;
    let events = 0;
    await new Promise<void>((resolve, reject) => {
      get(`${app.origin}${shop.base}/huge/events`, (response) => {
        response.on('data', (chunk: Buffer) => {
          if (Math.trunc((bytes + chunk.length) / mebibyte) > Math.trunc(bytes / mebibyte)) {
            peak = Math.max(peak, liveMemory());
          }
          bytes += chunk.length;
          for (let at = chunk.indexOf('"id":'); at >= 0; at = chunk.indexOf('"id":', at + 1)) events++;
        });
        response.on('end', resolve);
        response.on('error', reject);
      }).on('error', reject);
    });

    // A chunk may end in the middle of a key, which is then not counted.
    expect(events).toBeGreaterThan(99_000);
    expect(bytes).toBeGreaterThan(20 * mebibyte);
    expect((peak - before) / mebibyte).toBeLessThan(20);
  });

  it('is abandoned when its client disconnects', async () => {
    const shop = new Client(app.origin, freshProject());
    await app.database.dataSource.query(
      `INSERT INTO ${app.database.table('shipping_order_event')} (project_id, order_id, occurred_at, id, type, data, recorded_at)
       SELECT $1, 'left', now(), gen_random_uuid(), 'note.added', '{}', now() FROM generate_series(1, 20000)`,
      [shop.project],
    );

    await new Promise<void>((resolve) => {
      const request = get(`${app.origin}${shop.base}/left/events`, (response) => {
        response.once('data', () => request.destroy());
        response.on('close', resolve);
        response.on('error', () => undefined);
      });
    });
    const { status } = await shop.list();

    expect(status).toBe(200);
  });

  it('on page 2 of a list reads only the rows of two pages, by an index', async () => {
    const shop = new Client(app.origin, freshProject());
    const { dataSource, table } = app.database;
    await dataSource.query(
      `INSERT INTO ${table('shipping_method')} (project_id, id, carrier_code, method_code, method_label, is_active,
         sort_order, meta, use_default, search_text, version, created_at, updated_at)
       SELECT CASE WHEN n <= 1000 THEN $1 ELSE 'neighbour-' || n % 20 END, gen_random_uuid(), 'c' || n % 30,
         'm' || n, 'Label', true, n % 5, '{}', false, 'x', 1, now(), now() FROM generate_series(1, 20000) AS n`,
      [shop.project],
    );
    await dataSource.query(
      `INSERT INTO ${table('shipping_project')} VALUES ($1, gen_random_uuid(), 1000, 0)`,
      [shop.project],
    );
    await dataSource.query(`ANALYZE ${table('shipping_method')}`);
    const statements = await recorded(app, () => shop.list('page=2&per_page=20'));

    const plans = await Promise.all(
      statements.map(({ sql, parameters }) =>
        dataSource.query(`EXPLAIN (ANALYZE, COSTS OFF) ${sql}`, parameters),
      ),
    );

    const plan = JSON.stringify(plans);
    expect(plan).toContain('ix_shipping_method_order');
    expect(plan).not.toMatch(/Seq Scan on shipping_method/);
    const read = [...plan.matchAll(/ix_shipping_method_order[^(]*\(actual[^)]*rows=([\d.]+)/g)];
    expect(read.map(([, rows]) => Number(rows))).toEqual([40]);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after a garbage collection. The client of this test lives in the same process. */
function liveMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Statement {
  sql: string;
  parameters: unknown[];
}

/** The SELECT statements that the app sends while `work` runs. */
async function recorded(app: TestApp, work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const { dataSource } = app.database;
  const { logger } = dataSource;
  const listener = {
    ...Object.fromEntries(
      ['logQueryError', 'logQuerySlow', 'logSchemaBuild', 'logMigration', 'log'].map((name) => [
        name,
        () => undefined,
      ]),
    ),
    logQuery: (sql: string, parameters: unknown[] = []) => statements.push({ sql, parameters }),
  };
  Object.assign(dataSource, { logger: listener });
  try {
    await work();
  } finally {
    Object.assign(dataSource, { logger });
  }
  return statements.filter(({ sql }) => sql.includes('SELECT'));
}
