import { OrderEventsService, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { expectNoSchemaDrift } from 'nestjs-shipping/testing';
import { DefaultNamingStrategy } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { engine, onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';

/** A naming strategy like the one of typeorm-naming-strategies. */
class SnakeCase extends DefaultNamingStrategy {
  override tableName(target: string, given: string | undefined): string {
    return given ?? snake(target);
  }

  override columnName(property: string, given: string | undefined, prefixes: string[]): string {
    return snake([...prefixes, given ?? property].join('_'));
  }

  override prefixTableName(prefix: string, table: string): string {
    return `${prefix}of_${table}`;
  }

  override primaryKeyName(): string {
    return 'pk_of_the_host';
  }

  override indexName(): string {
    return 'index_of_the_host';
  }

  override uniqueConstraintName(): string {
    return 'unique_of_the_host';
  }

  override checkConstraintName(): string {
    return 'check_of_the_host';
  }
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');
}

/** @returns for each table of version 0.1.0 one row, as SQL by the name of the column */
function rowsOf010({ options }: TestDatabase): Record<string, Record<string, string>> {
  const [project_id, id] = ["'acme'", "'0199a000-0000-7000-8000-000000000001'"];
  const time = options.type === 'postgres' ? "'2026-01-02 03:04:05.678Z'" : "'2026-01-02 03:04:05.678'";
  return {
    shipping_project: { project_id, revision: "'5b1f8c1e-0000-4000-8000-000000000001'" },
    shipping_method: {
      project_id,
      id,
      carrier_code: "'ups'",
      carrier_label: 'NULL',
      method_code: "'03'",
      method_label: "'Größe'",
      is_active: 'FALSE',
      sort_order: '-5',
      meta: `'{"days":2}'`,
      use_default: "'sort_order,is_active'",
      version: '7',
      created_at: time,
      updated_at: time,
    },
    shipping_order_event: {
      project_id,
      order_id: "'1001'",
      occurred_at: time,
      // The servers number the events themselves.
      ...(options.type === 'better-sqlite3' && { seq: '1' }),
      id,
      type: "'order.placed'",
      message: 'NULL',
      data: `'{"total":"84.90"}'`,
      actor: `'{"type":"user","id":"u-7","label":null}'`,
      dedupe_key: "'once'",
      recorded_at: time,
    },
  };
}

describe('the migrations', () => {
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await database?.close();
    database = undefined;
  });

  const works = async (open: TestDatabase): Promise<void> => {
    const testing = await compiled([typeOrm(open), ShippingModule.forRoot({ http: false })]);
    await testing.init();
    const methods = testing.get(ShippingMethodsService);
    await methods.create('p', { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' });
    expect((await methods.list('p')).meta.total).toBe(1);
    const events = testing.get(OrderEventsService);
    const { repeated, ...event } = await events.record(
      { projectId: 'p', orderId: 'o' },
      { type: 'order.placed' },
    );
    expect(repeated).toBe(false);
    expect(await events.findAll({ projectId: 'p', orderId: 'o' })).toEqual([event]);
  };

  it('run up, down and up again in each mode', async () => {
    database = await testDatabase({ migrationsRun: false });
    const { dataSource } = database;

    for (const transaction of ['all', 'each', 'none'] as const) {
      await dataSource.runMigrations({ transaction });
      await expectNoSchemaDrift(dataSource);
      expect(await dataSource.showMigrations()).toBe(false);
      for (const _ of shippingMigrations) await dataSource.undoLastMigration({ transaction });
      expect(await engine.tableNames(dataSource.manager)).toEqual([]);
    }
    await dataSource.runMigrations();

    await works(database);
  });

  it('leave no schema drift where TypeORM has a table for its query cache', async () => {
    database = await testDatabase({ cache: true });

    await expectNoSchemaDrift(database.dataSource);
  });

  it('keep what version 0.1.0 has stored', async () => {
    database = await testDatabase({ migrationsRun: false });
    const { dataSource } = database;
    const later = dataSource.migrations.splice(1);
    await dataSource.runMigrations();
    for (const [name, row] of Object.entries(rowsOf010(database)))
      await dataSource.query(
        `INSERT INTO ${database.table(name)} (${Object.keys(row)}) VALUES (${Object.values(row)})`,
      );
    dataSource.migrations.push(...later);

    await dataSource.runMigrations();

    await expectNoSchemaDrift(dataSource);
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);
    await testing.init();
    const method = await testing
      .get(ShippingMethodsService)
      .findByCodes('acme', { carrier_code: 'ups', method_code: '03' });
    const [event] = await testing.get(OrderEventsService).findAll({ projectId: 'acme', orderId: '1001' });
    expect(method).toMatchObject({
      carrier_label: null,
      method_label: 'Größe',
      is_active: false,
      sort_order: -5,
      meta: { days: 2 },
      use_default: ['sort_order', 'is_active'],
      version: 7,
      created_at: '2026-01-02T03:04:05.678Z',
    });
    expect(event).toMatchObject({
      type: 'order.placed',
      message: null,
      data: { total: '84.90' },
      actor: { type: 'user', id: 'u-7', label: null },
      occurred_at: '2026-01-02T03:04:05.678Z',
    });
  });

  onlyWhere('checkedDrops', () => {
    it('cannot be undone while your foreign key refers to a method, and nothing is dropped', async () => {
      database = await testDatabase();
      const { dataSource } = database;
      await works(database);
      await engine.createCart(dataSource.manager);

      const undone = async (): Promise<void> => {
        for (const _ of shippingMigrations) await dataSource.undoLastMigration({ transaction: 'none' });
      };

      await expect(undone()).rejects.toThrow(/foreign key|depend on it/);
      await dataSource.runMigrations();
      await expectNoSchemaDrift(dataSource);
      expect(await dataSource.showMigrations()).toBe(false);
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);
      await testing.init();
      expect((await testing.get(ShippingMethodsService).list('p')).meta.total).toBe(1);
    });
  });

  it("match the entities under a host's own naming strategy", async () => {
    database = await testDatabase({ namingStrategy: new SnakeCase(), entityPrefix: 'shop_' });

    await expectNoSchemaDrift(database.dataSource);
    await works(database);
  });

  it('send the same statements for ever, because databases have run them', async () => {
    database = await testDatabase();
    const { dataSource, options } = database;
    for (const Migration of shippingMigrations) {
      const migration = new Migration();
      const runner = dataSource.createQueryRunner();
      // For a table or an index, TypeORM then keeps the statement in place of sending it.
      runner.enableSqlMemory();
      await migration.up(runner);
      const statements = runner.getMemorySql().upQueries.map(({ query }) => `${query};\n`);
      runner.clearSqlMemory();
      await runner.release();
      expect(statements).not.toEqual([]);

      // On a server of PostgreSQL, the test has a schema of its own.
      const sql = statements.join('').replaceAll(/"test_\w+"\./g, '');
      await expect(sql).toMatchFileSnapshot(`statements/${migration.name}.${options.type}.sql`);
    }
  });

  it('have names with our prefix, and times in ascending order', () => {
    const names = shippingMigrations.map((Migration) => new Migration().name);
    const times = names.map((name) => Number(/^NestjsShipping[A-Z]\w*?(\d{13})$/.exec(name)?.[1]));

    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
    expect(times).not.toContain(NaN);
  });
});
