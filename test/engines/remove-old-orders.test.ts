import { type Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addEvents } from '../support/rows.js';
import { type RoleDatabase, sqlOf, statementsOf, withRole } from './application-role.js';
import { mariadb, mysql, postgres, titleOf } from './databases.js';
import { type EngineHost } from './host.js';

// docs/dba.md shows this SQL.

const day = 24 * 60 * 60 * 1000;
const ago = (days: number): Date => new Date(Date.now() - days * day);

/** The orders of two projects, with the age of their events in days. */
const orders = { old: [3000, 2800], alive: [3000, 2], young: [100] };

for (const engine of [postgres, mariadb, mysql])
  describe.skipIf(engine.missing !== undefined)(`a job on ${titleOf(engine)}`, () => {
    let database: RoleDatabase;
    let host: EngineHost | undefined;
    beforeEach(async () => {
      database = await withRole(await engine.create());
      await database.run(engine === postgres ? 'sql/rights-postgres' : 'sql/rights-mariadb');
      for (const projectId of ['acme', 'other'])
        for (const [orderId, ages] of Object.entries(orders))
          await addEvents(database.owner.manager, { projectId, orderId }, ages.length * 700, (n) => ({
            recordedAt: ago(ages[n % ages.length] ?? 0),
            dedupeKey: `key-${n}`,
          }));
    });
    afterEach(async () => {
      await host?.close();
      host = undefined;
      await database?.close();
    });

    const counts = async (): Promise<Record<string, number>> => {
      const rows = await database.owner.query<{ order_id: string; n: string }[]>(
        'SELECT order_id, COUNT(*) AS n FROM shipping_order_event GROUP BY order_id',
      );
      return Object.fromEntries(rows.map(({ order_id, n }) => [order_id, Number(n)]));
    };
    it('removes the orders without an event in seven years, and no event of another order', async () => {
      const file = engine === postgres ? 'postgres' : 'mariadb';
      const sql = sqlOf(`sql/remove-old-orders-${file}`, database.role, database.place);
      if (engine === postgres) {
        // Each window is a COMMIT, and the orders of this test are years old.
        for (const statement of statementsOf(sql.replace("'1 hour'", "'30 days'")))
          await database.owner.query(statement);
      } else {
        const [, procedure = '', call = ''] = /delimiter \/\/(.*)\/\/\ndelimiter ;(.*)$/s.exec(sql) ?? [];
        await database.owner.query(procedure);
        await database.owner.query(call);
      }

      expect(await counts()).toEqual({ alive: 2800, young: 1400 });
      host = await database.start();
      const again = await host.events.record(
        { projectId: 'acme', orderId: 'old' },
        { type: 'order.paid', dedupe_key: 'key-1' },
      );
      expect(again.repeated).toBe(false);
    });

    if (engine !== postgres) return;
    it('begins where the run before has ended', async () => {
      const runner = database.owner.createQueryRunner();
      const client = (await runner.connect()) as Client;
      const times: string[] = [];
      client.on('notice', ({ message }) => times.push(/done before (.*)/.exec(message ?? '')?.[1] ?? ''));
      const run = async (years: number, firstTime: string): Promise<void> => {
        const sql = sqlOf('sql/remove-old-orders-postgres', database.role, database.place)
          .replace("'1 hour'", "'30 days'")
          .replace('7 years', `${years} years`)
          .replace('2018-01-01', firstTime);
        for (const statement of statementsOf(sql)) await runner.query(statement);
      };

      await run(8, '2018-01-01');
      expect(await counts()).toMatchObject({ old: 2800 });
      await run(7, times.at(-1) ?? '');

      expect(await counts()).toEqual({ alive: 2800, young: 1400 });
      await runner.release();
    });

    it('summarizes new pages first, and refuses an index that is not valid', async () => {
      const sql = sqlOf('sql/remove-old-orders-postgres', database.role, database.place);
      const [index = '', , block = ''] = statementsOf(sql.replace("'1 hour'", "'300 days'"));
      await database.owner.query(index);
      await addEvents(database.owner.manager, { projectId: 'acme', orderId: 'new' }, 2000);

      await database.owner.query(block);

      const left = `SELECT brin_summarize_new_values('ix_shop_event_recorded') AS ranges`;
      expect(await database.owner.query(left)).toEqual([{ ranges: 0 }]);
      await database.owner.query(
        `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_shop_event_recorded'::regclass`,
      );
      await expect(database.owner.query(block)).rejects.toThrow('is not valid');
    });

    it('reads no page that has only older and newer events than a window', async () => {
      const [index = ''] = statementsOf(
        sqlOf('sql/remove-old-orders-postgres', database.role, database.place),
      );
      await database.owner.query(index);

      const plan = await database.owner.transaction(async (manager) => {
        await manager.query('SET LOCAL enable_seqscan = off');
        return manager.query<object[]>(
          'EXPLAIN ANALYZE SELECT FROM shipping_order_event WHERE recorded_at BETWEEN $1 AND $2',
          [ago(1500), ago(1000)],
        );
      });

      const text = JSON.stringify(plan);
      expect(text).toContain('Bitmap Index Scan on ix_shop_event_recorded');
      expect(text).not.toContain('Heap Blocks');
    });
  });
