import { randomUUID } from 'node:crypto';
import { type DynamicModule } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { dataSourceOf } from '../database/data-source-of.js';
import { dialectOf } from '../database/dialects/dialects.js';
import { shippingMigrations } from '../database/migrations/migrations.js';
import { shippingEntities } from '../module/shipping-entities.js';

type SqliteOptions = Extract<DataSourceOptions, { type: 'better-sqlite3' }>;
type ModuleOptions = Pick<TypeOrmModuleOptions, 'autoLoadEntities' | 'retryAttempts' | 'retryDelay'> & {
  name?: string | undefined;
};

/** The options of your DataSource. `name` is its name in `TypeOrmModule`. */
export type TestTypeOrmModuleOptions = DataSourceOptions & ModuleOptions;
/** The database is in memory, so the options need not name it. */
type SqliteInMemory = Omit<SqliteOptions, 'database'> & ModuleOptions;

/**
 * Returns `TypeOrmModule` with a new, migrated database. Import it beside `ShippingModule` in a test. On a server, the
 * database is created when the application starts, and dropped when the application closes. So the user in the options
 * must have the right to create databases. On SQLite, the database is in memory.
 *
 * If the driver is not installed, or the server cannot be reached or refuses the user, the application does not start.
 * TypeORM or the driver throws the error. The application does not start either if the options or an entity may lead to
 * another database.
 * @param options the options of your DataSource. The entities and migrations of the library are added to yours, and all
 *   migrations run.
 * @example
 * const database = testTypeOrmModule({ type: 'mariadb', url: 'mariadb://root@localhost/' });
 */
export function testTypeOrmModule(options: TestTypeOrmModuleOptions | SqliteInMemory): DynamicModule {
  return migratedTypeOrm(options, ownDatabase);
}

/** @param open makes the DataSource, which TypeOrmModule then initializes */
export function migratedTypeOrm(
  options: TestTypeOrmModuleOptions | SqliteInMemory,
  open: (options: DataSourceOptions) => Promise<DataSource>,
): DynamicModule {
  const migrated = {
    autoLoadEntities: true,
    // A mistake in an entity or a migration would fail again at the next try.
    retryAttempts: 1,
    ...options,
    // The database is new. So a host that migrates by itself has not migrated it, and there is nothing to drop.
    migrationsRun: true,
    dropSchema: false,
    entities: [...new Set([...shippingEntities, ...Object.values(options.entities ?? [])])],
    migrations: [...new Set([...shippingMigrations, ...Object.values(options.migrations ?? [])])],
  };
  return TypeOrmModule.forRootAsync({
    name: options.name,
    // At shutdown, @nestjs/typeorm 11 looks up the DataSource by the `name` in these options.
    useFactory: () => migrated as TypeOrmModuleOptions,
    dataSourceFactory: (made) => open(made as DataSourceOptions),
  });
}

/** Makes `destroy()` of the DataSource also end its database. */
export function endingWith(dataSource: DataSource, end: () => Promise<unknown>): DataSource {
  const destroy = dataSource.destroy.bind(dataSource);
  dataSource.destroy = async () => {
    await destroy();
    await end();
  };
  return dataSource;
}

async function ownDatabase(options: DataSourceOptions): Promise<DataSource> {
  if (options.type === 'better-sqlite3') return new DataSource({ ...options, database: ':memory:' });
  const database = `shipping_test_${randomUUID()}`;
  const url = 'url' in options ? options.url : undefined;
  const location = url ? { url: Object.assign(new URL(url), { pathname: database }).href } : { database };
  const own = { ...options, ...location } as DataSourceOptions;
  const host = { ...options, entities: [] };
  const drop = () => onServer(host, (runner) => runner.dropDatabase(database));
  await onServer(host, (runner) => runner.createDatabase(database));
  await onServer(own, (runner) => refuseOtherDatabases(runner, database)).catch(async (error: unknown) => {
    await drop();
    throw error;
  });
  return endingWith(new DataSource(own), drop);
}

/**
 * Options such as `replication`, `extra.database` or a driver of the host win over the name of the test database.
 * @throws Error if the connection or an entity is in another database, which the test would change
 */
async function refuseOtherDatabases(runner: QueryRunner, own: string): Promise<void> {
  const { driver, entityMetadatas } = dataSourceOf(runner);
  const ofEntities = entityMetadatas.map(({ tablePath }) => driver.parseTableName(tablePath).database);
  const other = [await runner.getCurrentDatabase(), ...ofEntities].find((name) => name !== own);
  if (other === undefined) return;
  throw new Error(
    `testTypeOrmModule() has made the database "${own}", but the connection or an entity is in the database "${other}". ` +
      'Nothing was changed there. Find the option or the entity that names it.',
  );
}

/** Opens a DataSource that changes nothing by itself. */
async function onServer(
  options: DataSourceOptions,
  work: (runner: QueryRunner) => Promise<void>,
): Promise<void> {
  const nothing = { migrations: [], subscribers: [], migrationsRun: false };
  const untouched = { synchronize: false, installExtensions: false };
  const server = new DataSource({ ...options, ...nothing, ...untouched } as DataSourceOptions);
  dialectOf(server);
  await server.initialize();
  await work(server.createQueryRunner()).finally(() => server.destroy());
}
