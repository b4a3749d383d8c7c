import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { snapshotUrl } from './snapshot.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

export interface TestDatabase {
  /** Options for DataSources on this database: migrated at the first connection. */
  options: PostgresOptions;
  /** One that is open already. */
  dataSource: DataSource;
  isEmbedded: boolean;
  /** The name of a table of ours, for a test's own SQL. */
  table(name: string): string;
  /** The same database over another DataSource; the embedded one has only one connection to share. */
  another(): Promise<TestDatabase>;
  close(): Promise<void>;
}

/** The server this run is about; without one, the embedded database. */
export const serverUrl = process.env['TEST_DATABASE_URL'];

const common = {
  type: 'postgres',
  entities: shippingEntities,
  migrations: shippingMigrations,
  migrationsRun: true,
} as const;

/** A database of its own, empty but for the tables: on a server, a schema of its own. */
export async function testDatabase(extra: Partial<PostgresOptions> = {}): Promise<TestDatabase> {
  if (serverUrl) {
    const schema = `test_${randomUUID().replaceAll('-', '')}`;
    await onServer(`CREATE SCHEMA ${schema}`);
    const options: PostgresOptions = { ...common, driver: pg, url: serverUrl, schema, ...extra };
    const opened = await onOptions(options);
    const close = async (): Promise<void> => {
      await opened.close();
      await onServer(`DROP SCHEMA ${schema} CASCADE`);
    };
    return { ...opened, close };
  }
  const snapshot = await readFile(snapshotUrl());
  const lite = new PGlite({ loadDataDir: new Blob([snapshot]) });
  const options: PostgresOptions = {
    ...common,
    driver: pg,
    extra: createPgConfig(lite),
    poolSize: 1,
    connectTimeoutMS: 10_000,
    ...extra,
  };
  const dataSource = await new DataSource(options).initialize();
  const close = async (): Promise<void> => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await lite.close();
  };
  const embedded: TestDatabase = {
    options,
    dataSource,
    isEmbedded: true,
    table: (name) => name,
    another: () => Promise.resolve({ ...embedded, close: () => Promise.resolve() }),
    close,
  };
  return embedded;
}

async function onOptions(options: PostgresOptions): Promise<TestDatabase> {
  const dataSource = await new DataSource(options).initialize();
  return {
    options,
    dataSource,
    isEmbedded: false,
    table: (name) => `"${options.schema}"."${name}"`,
    another: () => onOptions(options),
    close: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

/** A table of a host's whose rows refer to methods. */
export async function createCart({ dataSource, table }: TestDatabase): Promise<void> {
  await dataSource.query(
    `CREATE TABLE ${table('cart')} (project_id varchar, method_id uuid,
      FOREIGN KEY (project_id, method_id) REFERENCES ${table('shipping_method')} (project_id, id))`,
  );
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
