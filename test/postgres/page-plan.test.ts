import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { addMethods } from '../support/rows.js';

describe('a large answer', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());

  it('on page 2 of a list reads only the rows of two pages, by an index', async () => {
    const shop = new Client(app.origin, freshProject());
    const neighbours = Array.from({ length: 20 }, (_, n) => [`neighbour-${n}`, 950] as const);
    const { dataSource, table } = app.database;
    const { manager } = dataSource;
    for (const [projectId, count] of [[shop.project, 1000], ...neighbours] as const)
      await addMethods(manager, projectId, count, (n) => ({ carrierCode: `c${n % 30}`, sortOrder: n % 5 }));
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
