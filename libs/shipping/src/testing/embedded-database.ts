import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type PGlite } from '@electric-sql/pglite';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { shippingMigrations } from '../database/migrations/migrations.js';
import { shippingEntities } from '../shipping.entities.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;
type EmbeddedOptions = Pick<PostgresOptions, 'type' | 'driver' | 'extra' | 'poolSize' | 'connectTimeoutMS'>;

/**
 * What a TypeORM DataSource needs to run on an empty PostgreSQL inside this process (PGlite, an optional
 * peer: `npm i -D @electric-sql/pglite`). It has one connection, so give the options to one DataSource only.
 */
export async function embeddedPostgres(): Promise<EmbeddedOptions> {
  return optionsOn(await emptyDatabase());
}

async function emptyDatabase(): Promise<PGlite> {
  const { PGlite } = await import('@electric-sql/pglite');
  const snapshot = snapshotFile();
  if (!existsSync(snapshot)) {
    // initdb takes some seconds: once a version, for all test files and runs of this machine.
    const fresh = await PGlite.create();
    const dump = await fresh.dumpDataDir('gzip');
    await fresh.close();
    await writeFile(`${snapshot}.${process.pid}`, Buffer.from(await dump.arrayBuffer()));
    await rename(`${snapshot}.${process.pid}`, snapshot);
  }
  return PGlite.create({ loadDataDir: new Blob([await readFile(snapshot)]) });
}

async function optionsOn(lite: PGlite): Promise<EmbeddedOptions> {
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres');
  const { default: driver } = await import('pg');
  // With its one connection taken, a mistake must be an error and not a test that hangs.
  return { type: 'postgres', driver, extra: createPgConfig(lite), poolSize: 1, connectTimeoutMS: 10_000 };
}

function snapshotFile(): string {
  const main = realpathSync(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  const manifest = readFileSync(join(dirname(main), '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return join(tmpdir(), `nestjs-shipping-pglite-${version}.tar.gz`);
}

/**
 * `TypeOrmModule` on an embedded database of its own, migrated: import it beside `ShippingModule` in a test.
 * @param options more of the DataSource: its `name`, the host's own `entities` and `migrations`
 */
export function embeddedTypeOrm({
  name,
  ...options
}: Partial<PostgresOptions> & { name?: string } = {}): DynamicModule {
  let lite: PGlite | undefined;
  return TypeOrmModule.forRootAsync({
    name,
    dataSourceFactory: (complete) => Promise.resolve(closingWith(() => lite?.close(), complete)),
    useFactory: async () => ({
      // At shutdown @nestjs/typeorm 11 looks the DataSource up by the name among these options.
      ...(name !== undefined && { name }),
      ...(await optionsOn((lite = await emptyDatabase()))),
      autoLoadEntities: true,
      migrationsRun: true,
      ...options,
      entities: [...shippingEntities, ...(listOf(options.entities) ?? [])],
      migrations: [...shippingMigrations, ...(listOf(options.migrations) ?? [])],
    }),
  });
}

/** A DataSource that, once destroyed, closes what it was on: an open engine would keep the process alive. */
function closingWith(
  close: () => Promise<void> | undefined,
  options: DataSourceOptions | undefined,
): DataSource {
  if (!options) throw new Error('TypeOrmModule gave no options for the embedded database.');
  const dataSource = new DataSource(options);
  const destroy = dataSource.destroy.bind(dataSource);
  dataSource.destroy = async () => {
    await destroy();
    await close();
  };
  return dataSource;
}

function listOf<Item>(mixed: Item[] | Record<string, Item> | undefined): Item[] | undefined {
  return mixed && Object.values(mixed);
}

/** @throws Error with the statements that the schema builder would run to make the database fit the entities */
export async function expectNoSchemaDrift(dataSource: DataSource): Promise<void> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  if (upQueries.length === 0) return;
  const statements = upQueries.map(({ query }) => query).join('\n');
  throw new Error(`The schema is not what the entities say. TypeORM would run:\n${statements}`);
}
