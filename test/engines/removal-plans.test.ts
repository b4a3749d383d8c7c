import { OrderEvent } from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addEvents } from '../support/rows.js';
import { type EngineDatabase, mariadb, mysql, pglite, postgres, sqlite, titleOf } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

/** How each engine explains a statement, and the part of a plan in which it reads a range inside of the history. */
const engines = [
  { engine: pglite, explain: 'EXPLAIN', readsRange: /Index Cond: .*ROW\(/ },
  { engine: postgres, explain: 'EXPLAIN', readsRange: /Index Cond: .*ROW\(/ },
  { engine: mariadb, explain: 'EXPLAIN', readsRange: /range .*PRIMARY/ },
  { engine: mysql, explain: 'EXPLAIN FORMAT = TRADITIONAL', readsRange: /range .*PRIMARY/ },
  { engine: sqlite, explain: 'EXPLAIN QUERY PLAN', readsRange: /INDEX \w+ \(project_id=. AND .*[<>]/ },
];

for (const { engine, explain, readsRange } of engines)
  describe.skipIf(engine.missing !== undefined)(`removeHistories on ${titleOf(engine)}`, () => {
    let database: EngineDatabase;
    let host: EngineHost;
    beforeAll(async () => {
      database = await engine.create();
      host = await hostOn(database);
    });
    afterAll(async () => {
      await host?.close();
      await database?.drop();
    });

    it('begins each batch in the index where the one before ended', async () => {
      const { dataSource } = host;
      for (const projectId of ['o', 'p', 'q'])
        await addEvents(dataSource.manager, { projectId, orderId: '' }, 4000, (n) => ({
          orderId: `o${n % 500}`,
          occurredAt: new Date(n),
        }));
      await dataSource.query(analyze(dataSource));
      const logged = vi.spyOn(dataSource.logger, 'logQuery');
      // Without its rows, an engine makes other plans.
      const rolledBack = dataSource.transaction(async (manager) => {
        await host.events.removeHistories('p', { manager });
        throw new Error('rollback');
      });
      await expect(rolledBack).rejects.toThrow('rollback');
      const sent = logged.mock.calls.filter(([sql]) => /^(SELECT|DELETE)/.test(sql));
      logged.mockRestore();

      const plans: string[] = [];
      for (const [sql, values] of sent) {
        const rows = await dataSource.query<object[]>(`${explain} ${sql}`, values);
        plans.push(rows.map((row) => Object.values(row).join(' ')).join('\n'));
      }

      // The first batch begins at no position.
      const later = plans.slice(2);
      expect(later.length).toBeGreaterThanOrEqual(4);
      expect(later.filter((plan) => !readsRange.test(plan))).toEqual([]);
    });
  });

function analyze(dataSource: DataSource): string {
  const { tablePath } = dataSource.getMetadata(OrderEvent);
  if (dataSource.options.type === 'better-sqlite3') return 'ANALYZE';
  return dataSource.options.type === 'postgres' ? `ANALYZE ${tablePath}` : `ANALYZE TABLE ${tablePath}`;
}
