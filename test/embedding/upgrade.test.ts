import { OrderEventsService, ShippingMethod, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { expectNoSchemaDrift } from 'nestjs-shipping/testing';
import { type TestingModule } from '@nestjs/testing';
import {
  Column,
  getMetadataArgsStorage,
  Index,
  type MigrationInterface,
  type QueryRunner,
  TableIndex,
} from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { engine, type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';
import { ground } from '../support/client.js';

/** The next version might add a column and an index. */
class NextVersion implements MigrationInterface {
  name = 'NestjsShippingNext9999999999999';

  // On SQLite, TypeORM's `addColumn` and `dropColumn` create the table again. That fails if a row of the host refers to
  // it.
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${tableOf(runner)} ADD note varchar(64)`);
    await runner.createIndex(
      runner.connection.getMetadata(ShippingMethod).tablePath,
      new TableIndex({ name: 'ix_next', columnNames: ['project_id', 'note'] }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex(runner.connection.getMetadata(ShippingMethod).tablePath, 'ix_next');
    await runner.query(`ALTER TABLE ${tableOf(runner)} DROP COLUMN note`);
  }
}

function tableOf({ connection }: QueryRunner): string {
  const names = connection.getMetadata(ShippingMethod).tablePath.split('.');
  return names.map((name) => connection.driver.escape(name)).join('.');
}

const { columns, indices } = getMetadataArgsStorage();
const declared = [columns.length, indices.length] as const;

/** Declares the entity as the next version has it. */
function declareNext(): void {
  Column({ name: 'note', type: 'varchar', length: 64, nullable: true })(ShippingMethod.prototype, 'note');
  Index('ix_next', ['projectId', 'note'])(ShippingMethod);
}

function forgetNext(): void {
  [columns.length, indices.length] = declared;
}

const order = { projectId: 'shop', orderId: 'o' };

describe('a database with data in it, when a migration is added,', () => {
  let database: TestDatabase | undefined;
  afterEach(async () => {
    forgetNext();
    await database?.close();
    database = undefined;
  });

  const booted = async (open: TestDatabase): Promise<TestingModule> => {
    const testing = await compiled([typeOrm(open), ShippingModule.forRoot({ http: false })]);
    return testing.init().then(() => testing);
  };

  /** Reads everything that the services can read. */
  const read = async (testing: TestingModule): Promise<unknown[]> => {
    const methods = testing.get(ShippingMethodsService);
    const projects = [methods.list('shop'), methods.tree('shop'), methods.list('default')];
    return Promise.all([
      ...projects,
      testing.get(OrderEventsService).findAll({ projectId: 'shop', orderId: 'o' }),
    ]);
  };

  /** Makes each change that the services can make. */
  const write = async (testing: TestingModule): Promise<void> => {
    const methods = testing.get(ShippingMethodsService);
    await methods.upsert('default', { ...ground, method_label: 'Default', meta: { n: Math.random() } });
    const { id } = await methods.upsert('shop', { ...ground, meta: { n: Math.random() } });
    await methods.update('shop', id, { ...ground, use_default: true });
    await methods.remove('shop', (await methods.create('shop', { ...ground, method_code: '04' })).id);
    await testing.get(OrderEventsService).record(order, { type: 'note.added', data: { n: Math.random() } });
  };

  /** Closes the application of one version, and boots that of another one. */
  const begun = async (
    testing: TestingModule,
    open: TestDatabase,
    migrations: (typeof NextVersion)[],
  ): Promise<TestingModule> => {
    await testing.close();
    open.dataSource.setOptions({ migrations: [...shippingMigrations, ...migrations], migrationsRun: false });
    await open.dataSource.initialize();
    return booted(open);
  };

  it('keeps its data when the migration runs, and when it is undone', async () => {
    database = await testDatabase();
    const { dataSource } = database;
    let testing = await booted(database);
    await write(testing);
    await engine.createCart(dataSource.manager);
    const [{ id } = { id: '' }] = await testing.get(ShippingMethodsService).findActive('shop');
    await engine.putIntoCart(dataSource.manager, 'shop', id);
    const first = await read(testing);

    Object.assign(dataSource, { migrations: [...dataSource.migrations, new NextVersion()] });
    await dataSource.runMigrations();
    expect(await read(testing)).toEqual(first);
    await write(testing);
    const between = await read(testing);

    declareNext();
    testing = await begun(testing, database, [NextVersion]);
    await expectNoSchemaDrift(dataSource);
    expect(await dataSource.showMigrations()).toBe(false);
    expect(await read(testing)).toEqual(between);
    await write(testing);
    const second = await read(testing);

    await dataSource.undoLastMigration();
    forgetNext();
    testing = await begun(testing, database, []);
    await expectNoSchemaDrift(dataSource);
    expect(await read(testing)).toEqual(second);
    await write(testing);
    expect(await read(testing)).not.toEqual(second);
    await testing.close();
  });
});
