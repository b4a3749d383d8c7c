import { DatabaseUnavailableError, ShippingMethod, ShippingProject, shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { expectNoSchemaDrift } from 'nestjs-shipping/testing';
import {
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  type EntityManager,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshProject } from '../support/client.js';
import { mariadb as mariadbTools } from '../support/engines/mariadb.js';
import { type EngineDatabase, mariadb, mysql, titleOf } from './databases.js';
import { hostOn } from './host.js';

@Entity({ name: 'customer' })
class Customer {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column({ type: 'varchar', length: 100 })
  name!: string;

  @Column({ type: 'datetime', nullable: true })
  seenAt!: Date | null;
}

@Entity({ name: 'purchase' })
class Purchase {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @ManyToOne(() => Customer)
  customer!: Customer;

  @Column({ type: 'simple-json' })
  lines!: object;
}

/** An entity of a host that refers to a method. */
@Entity({ name: 'cart' })
class Cart {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  // TypeORM does not know that the default of such a column is NULL on MariaDB. It would change a nullable column each
  // time.
  @ManyToOne(() => ShippingMethod, { nullable: false })
  @JoinColumn([
    { name: 'project_id', referencedColumnName: 'projectId' },
    { name: 'method_id', referencedColumnName: 'id' },
  ])
  method!: ShippingMethod;
}

/** @returns how many rows the connection has read */
async function readsOf(manager: EntityManager): Promise<number> {
  const status = await manager.query<{ Value: string }[]>(
    "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_key', 'Handler_read_next', 'Handler_read_prev')",
  );
  return status.reduce((sum, { Value }) => sum + Number(Value), 0);
}

/** Many hosts use the type `mysql` on MariaDB. */
const servers = [
  ['mysql', mariadb],
  ['mariadb', mariadb],
  ['mysql', mysql],
] as const;

for (const [type, server] of servers)
  describe.skipIf(server.missing !== undefined)(`a DataSource of type ${type} on ${titleOf(server)}`, () => {
    let database: EngineDatabase;
    let open: DataSource | undefined;
    beforeEach(async () => {
      database = await server.create();
    });
    afterEach(async () => {
      if (open?.isInitialized) await open.destroy();
      await database.drop();
    });

    const initialized = async (more: object): Promise<DataSource> => {
      if (open?.isInitialized) await open.destroy();
      const nothing = { entities: [], migrations: [], migrationsRun: false };
      open = new DataSource({ ...database.options, type, ...nothing, ...more } as DataSourceOptions);
      return open.initialize();
    };

    it('has no schema drift after the migrations, and none after synchronize', async () => {
      const migrated = { entities: shippingEntities, migrations: shippingMigrations, migrationsRun: true };
      await expectNoSchemaDrift(await initialized(migrated));
      await expectNoSchemaDrift(await initialized({ ...migrated, synchronize: true }));
    });

    it('has no schema drift after synchronize, even beside a foreign key of the host', async () => {
      const synchronized = { entities: [...shippingEntities, Cart], synchronize: true };
      const { entityMetadatas } = await initialized(synchronized);
      expect(entityMetadatas).toHaveLength(4);

      await expectNoSchemaDrift(await initialized(synchronized));
    });

    it('is refused at boot over a connection that cannot carry every text', async () => {
      const host = hostOn(database, {}, { type, charset: 'latin1' });

      await expect(host).rejects.toThrow(
        "has character_set_client = latin1. With it, some characters are lost. Give the DataSource charset: 'utf8mb4'.",
      );
    });

    it('is refused at boot with a time-out at which the driver stops waiting', async () => {
      const host = hostOn(database, {}, { type, enableQueryTimeout: true, maxQueryExecutionTime: 3000 });

      await expect(host).rejects.toThrow('has enableQueryTimeout = true. With it, a connection may');
    });

    it('creates and changes methods when the driver counts only the rows that a statement has changed', async () => {
      const host = await hostOn(database, {}, { type, flags: ['-FOUND_ROWS'] });
      const project = freshProject();
      const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
      let rollbacks = 0;
      host.dataSource.subscribers.push({ afterTransactionRollback: () => void rollbacks++ });

      const created = await host.methods.create(project, ground);
      const updated = await host.methods.update(project, created.id, { ...ground, sort_order: 1 });
      const removed = await host.methods.removeAll(project);
      await host.close();

      expect([updated.version, removed, rollbacks]).toEqual([2, 1, 0]);
    });

    it('finds the first event with a key, even if the snapshot is older', async () => {
      const host = await hostOn(database, {}, { type });
      const event = [
        { projectId: freshProject(), orderId: 'o' },
        { type: 'a.b', dedupe_key: 'once' },
      ] as const;

      const [first, again] = await host.dataSource.transaction(async (manager) => {
        await host.events.findAll(event[0], { manager });
        return [await host.events.record(...event), await host.events.record(...event, { manager })];
      });
      await host.close();

      expect(first?.repeated).toBe(false);
      expect(again).toEqual({ ...first, repeated: true });
    });

    it('does not read the history of an order when it records an event', async () => {
      const host = await hostOn(database, {}, { type });
      const event = [{ projectId: freshProject(), orderId: 'o' }, { type: 'a.b' }] as const;
      for (let count = 0; count < 300; count++) await host.events.record(...event);

      const rowsRead = await host.dataSource.transaction(async (manager) => {
        const before = await readsOf(manager);
        await host.events.record(...event, { manager });
        return (await readsOf(manager)) - before;
      });
      await host.close();

      expect(rowsRead).toBeLessThan(10);
    });

    it('reads a page of events in the middle of a history, of which all have one time, by the key', async () => {
      const host = await hostOn(database, {}, { type });
      const [projectId, orderId] = [freshProject(), 'o'];
      const one = { type: 'a.b', occurred_at: '2026-01-01T00:00:00Z' };
      await host.dataSource.transaction(async (manager) => {
        for (let n = 0; n < 300; n++) await host.events.record({ projectId, orderId }, one, { manager });
      });
      await host.dataSource.query('ANALYZE TABLE shipping_order_event');
      const { next } = await host.events.list({ projectId, orderId }, { limit: 150 });

      const rowsRead = await host.dataSource.transaction(async (manager) => {
        const before = await readsOf(manager);
        await host.events.list({ projectId, orderId }, { limit: 5, cursor: next }, { manager });
        return (await readsOf(manager)) - before;
      });
      await host.close();

      expect(rowsRead).toBeLessThan(20);
    });

    it('returns the event of a repeated key, although an index of the host is violated first', async () => {
      const host = await hostOn(database, {}, { type });
      const event = [
        { projectId: freshProject(), orderId: 'o' },
        { type: 'a.b', dedupe_key: 'k' },
      ] as const;
      await host.dataSource.query(
        'CREATE UNIQUE INDEX one_per_type ON shipping_order_event (project_id, order_id, type)',
      );
      // Afterwards the server checks the indexes without a column that may be null first.
      await host.dataSource.query('OPTIMIZE TABLE shipping_order_event');
      const first = await host.events.record(...event);

      const again = await host.events.record(...event);

      expect(again).toEqual({ ...first, repeated: true });
      await host.close();
    });

    it('stores nothing when it cannot read the event that it has inserted', async () => {
      const host = await hostOn(database, {}, { type });
      const event = [{ projectId: freshProject(), orderId: 'o' }, { type: 'a.b' }] as const;
      const tooLong = Object.assign(new Error('Query execution was interrupted'), {
        code: 'ER_QUERY_TIMEOUT',
      });
      const end = await mariadbTools('mysql:').intercept(host.dataSource.manager, (sql, send) =>
        /SELECT .*shipping_order_event/.test(sql) ? Promise.reject(tooLong) : send(),
      );

      const recorded = await host.events.record(...event).then(
        ({ repeated: _repeated, ...stored }) => [stored],
        (error: unknown) => (error instanceof DatabaseUnavailableError ? [] : error),
      );
      end();

      expect(await host.events.findAll(event[0])).toEqual(recorded);
      await host.close();
    });

    it.each([
      ['synchronize', { synchronize: true }],
      ['migrations', { migrations: shippingMigrations, migrationsRun: true }],
      ['both', { migrations: shippingMigrations, migrationsRun: true, synchronize: true }],
    ])("leaves the host's tables and rows as they are when ours come by %s", async (_way, ours) => {
      const hosts = [Customer, Purchase];
      const before = await initialized({ entities: hosts, synchronize: true });
      const customer = await before.manager.save(Customer, { name: 'Ann', seenAt: null });
      await before.manager.save(Purchase, { customer, lines: { a: 1 } });
      const stateOf = async ({ manager }: DataSource): Promise<unknown[]> => [
        await manager.query('SHOW CREATE TABLE customer'),
        await manager.query('SHOW CREATE TABLE purchase'),
        await manager.query('SELECT * FROM customer'),
        await manager.query('SELECT * FROM purchase'),
      ];
      const state = await stateOf(before);

      const after = await initialized({ entities: [...hosts, ...shippingEntities], ...ours });
      await after.manager.insert(ShippingProject, { projectId: 'p', revision: customer.id });
      // The host is initialised once more, now beside our tables.
      const again = await initialized({ entities: [...hosts, ...shippingEntities], ...ours });

      expect(await stateOf(again)).toEqual(state);
      expect(await again.manager.find(Purchase, { relations: { customer: true } })).toMatchObject([
        { customer, lines: { a: 1 } },
      ]);
    });
  });

describe.skipIf(mysql.missing !== undefined)(`a DataSource of type mariadb on ${titleOf(mysql)}`, () => {
  it.each([
    ['entities', { entities: shippingEntities, migrations: [], migrationsRun: false }],
    ['migrations', { entities: [], migrations: shippingMigrations, migrationsRun: true }],
  ])('is refused with our %s, and the error names the right type', async (_part, ours) => {
    const { options, drop } = await mysql.create();
    const dataSource = new DataSource({ ...options, ...ours, type: 'mariadb' } as DataSourceOptions);

    await expect(dataSource.initialize()).rejects.toThrow(
      /^The server is MySQL \d.*, but the DataSource has the type "mariadb"\. Give it the type "mysql"\.$/,
    );

    await drop();
  });
});
