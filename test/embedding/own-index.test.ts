import { OrderEvent, ShippingMethod } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { expectNoSchemaDrift } from 'nestjs-shipping/testing';
import {
  getMetadataArgsStorage,
  Index,
  type MigrationInterface,
  type QueryRunner,
  TableIndex,
} from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** `Index()` adds it to every DataSource of the process, but other tests must not have it. */
function forgetIndex(): void {
  const { indices } = getMetadataArgsStorage();
  const mine = indices.findIndex(({ name }) => name === 'ix_mine' || name === 'ix_shop_event_recorded');
  if (mine >= 0) indices.splice(mine, 1);
}

class AddMyIndex implements MigrationInterface {
  name = 'AddMyIndex9999999999999';

  async up(runner: QueryRunner): Promise<void> {
    const { tablePath } = runner.connection.getMetadata(ShippingMethod);
    await runner.createIndex(
      tablePath,
      new TableIndex({ name: 'ix_mine', columnNames: ['project_id', 'is_active'] }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex(runner.connection.getMetadata(ShippingMethod).tablePath, 'ix_mine');
  }
}

describe("an index of the host's on our table", () => {
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await database?.close();
    database = undefined;
    forgetIndex();
  });

  const indexed = (): Promise<TestDatabase> =>
    testDatabase({ migrations: [...shippingMigrations, AddMyIndex] });

  it('is drift while only a migration declares it', async () => {
    database = await indexed();

    await expect(expectNoSchemaDrift(database.dataSource)).rejects.toThrow(/DROP INDEX.*ix_mine/);
  });

  it('is no drift, and survives synchronize, when the host declares it on our entity', async () => {
    Index('ix_mine', ['projectId', 'isActive'])(ShippingMethod);
    database = await indexed();

    await expectNoSchemaDrift(database.dataSource);
    await database.dataSource.synchronize();

    const runner = database.dataSource.createQueryRunner();
    const table = await runner.getTable(database.dataSource.getMetadata(ShippingMethod).tablePath);
    await runner.release();
    expect(
      table?.indices.filter(({ name }) => name === 'ix_mine' || name === 'ix_shop_event_recorded'),
    ).toHaveLength(1);
    await database.dataSource.undoLastMigration();
    await expect(expectNoSchemaDrift(database.dataSource)).rejects.toThrow(/CREATE INDEX.*ix_mine/);
  });

  it('of a kind that TypeORM does not know is no drift when the host declares its name', async () => {
    Index('ix_shop_event_recorded', { synchronize: false })(OrderEvent);
    database = await testDatabase();
    const { dataSource, table } = database;
    const kind = dataSource.options.type === 'postgres' ? 'USING brin ' : '';
    await dataSource.query(
      `CREATE INDEX ix_shop_event_recorded ON ${table('shipping_order_event')} ${kind}(recorded_at)`,
    );

    await expectNoSchemaDrift(dataSource);
    await dataSource.synchronize();

    await expect(
      dataSource.query(
        `CREATE INDEX ix_shop_event_recorded ON ${table('shipping_order_event')} (recorded_at)`,
      ),
    ).rejects.toThrow(/exists|Duplicate/);
  });
});
