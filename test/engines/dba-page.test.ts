import { shippingEntities } from 'nestjs-shipping';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ground } from '../support/client.js';
import { addEvents } from '../support/rows.js';
import { type RoleDatabase, sqlOf, statementsOf, withRole } from './application-role.js';
import { postgres, titleOf } from './databases.js';
import { type EngineHost } from './host.js';

// docs/dba.md shows this SQL.

describe.skipIf(postgres.missing !== undefined)(`the SQL for a DBA on ${titleOf(postgres)}`, () => {
  let database: RoleDatabase;
  let host: EngineHost;
  beforeEach(async () => {
    database = await withRole(await postgres.create());
    await database.run('sql/rights-postgres');
    await addEvents(database.owner.manager, { projectId: 'acme', orderId: 'o' }, 700);
    host = await database.start();
  });
  afterEach(async () => {
    await host?.close();
    await database?.close();
  });

  describe('restore-tenant.sql', () => {
    let backup: string;
    beforeEach(async () => {
      await host.methods.create('acme', ground);
      backup = `backup_${database.role}`;
      await database.owner.query(`CREATE SCHEMA ${backup}`);
      for (const { tableName } of shippingEntities.map((entity) => database.owner.getMetadata(entity)))
        await database.owner.query(`CREATE TABLE ${backup}.${tableName} AS TABLE ${tableName}`);
    });
    afterEach(() => database.owner.query(`DROP SCHEMA ${backup} CASCADE`));

    /** Runs the statements on one connection, as psql does. */
    const restore = async (): Promise<void> => {
      const sql = sqlOf('sql/restore-tenant', database.role, database.place);
      const runner = database.owner.createQueryRunner();
      try {
        for (const statement of statementsOf(sql.replaceAll('backup.', `${backup}.`)))
          await runner.query(statement);
      } finally {
        await runner.query('ROLLBACK');
        await runner.release();
      }
    };

    it('brings one tenant back from a backup, and each process sees it', async () => {
      await host.methods.removeAll('acme');
      await host.events.removeHistories('acme');
      expect(await host.methods.findActive('acme')).toEqual([]);

      await restore();

      expect(await host.methods.findActive('acme')).toHaveLength(1);
      expect(await host.events.findAll({ projectId: 'acme', orderId: 'o' })).toHaveLength(700);
      await host.events.record({ projectId: 'acme', orderId: 'o' }, { type: 'order.paid' });
    });

    it('removes nothing if the backup lacks a table', async () => {
      await database.owner.query(`DROP TABLE ${backup}.shipping_order_event`);

      await expect(restore()).rejects.toThrow('does not exist');

      expect(await host.methods.findActive('acme')).toHaveLength(1);
      expect(await host.events.findAll({ projectId: 'acme', orderId: 'o' })).toHaveLength(700);
    });
  });

  it('sets autovacuum, watches the tables, and moves the numbers on after a switch-over', async () => {
    await database.run('sql/vacuum-settings');
    await database.run('sql/after-logical-replication');
    await host.events.record({ projectId: 'acme', orderId: 'new' }, { type: 'order.paid' });

    const [last] = await database.owner.query<{ seq: string }[]>(
      'SELECT MAX(seq) AS seq FROM shipping_order_event',
    );
    const watched = await database.owner.query<{ name: string }[]>(
      sqlOf('sql/watch-tables', database.role, database.place),
    );

    expect(Number(last?.seq)).toBe(2_000_017);
    expect(watched.map(({ name }) => name)).toContain('shipping_order_event');
  });
});
