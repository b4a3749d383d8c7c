import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { createConnection } from 'mysql2/promise';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { describe } from 'vitest';
import { mariadbUrl, mysqlUrl } from '../support/other-engines.js';
import { snapshotUrl } from '../support/snapshot.js';

/** A database of its own. */
export interface EngineDatabase {
  options: DataSourceOptions;
  /** Removes it. All its DataSources must be closed. */
  drop(): Promise<void>;
}

export interface TestedEngine {
  name: string;
  /** Why the engine cannot be tested here. Undefined if it can. */
  missing?: string;
  /** True if each instance of a host has a DataSource of its own. Otherwise all instances share one connection. */
  hasPool: boolean;
  create(): Promise<EngineDatabase>;
}

const common = { entities: shippingEntities, migrations: shippingMigrations, migrationsRun: true };

const firstServer = (process.env['TEST_DATABASE_URLS'] ?? '')
  .split(',')
  .find((url) => url.startsWith('postgres'));
const postgresUrl =
  process.env['TEST_DATABASE_URL'] ?? firstServer ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export const pglite: TestedEngine = {
  name: 'PGlite',
  hasPool: false,
  async create() {
    const lite = new PGlite({ loadDataDir: new Blob([await readFile(snapshotUrl())]) });
    const options = {
      ...common,
      type: 'postgres',
      driver: pg,
      extra: createPgConfig(lite),
      poolSize: 1,
    } as const;
    return { options, drop: () => lite.close() };
  },
};

export const postgres: TestedEngine = {
  name: 'PostgreSQL',
  hasPool: true,
  ...(await missing(`PostgreSQL does not respond at ${hostOf(postgresUrl)}`, () => onPostgres('SELECT 1'))),
  async create() {
    const schema = newName();
    await onPostgres(`CREATE SCHEMA ${schema}`);
    const options = { ...common, type: 'postgres', driver: pg, url: postgresUrl, schema } as const;
    return { options, drop: () => onPostgres(`DROP SCHEMA ${schema} CASCADE`) };
  },
};

/** A server of MariaDB or MySQL. */
export interface MysqlServer extends TestedEngine {
  /** Runs a statement over a connection of its own. */
  run(sql: string): Promise<void>;
}

export const mariadb = await mysqlServer('MariaDB', 'mariadb', mariadbUrl);
export const mysql = await mysqlServer('MySQL', 'mysql', mysqlUrl);

async function mysqlServer(name: string, type: 'mariadb' | 'mysql', url: string): Promise<MysqlServer> {
  const run = async (sql: string): Promise<void> => {
    const connection = await createConnection(url);
    await connection.query(sql).finally(() => connection.end());
  };
  return {
    name,
    hasPool: true,
    ...(await missing(`${name} does not respond at ${hostOf(url)}`, () => run('SELECT 1'))),
    run,
    async create() {
      const database = newName();
      await run(`CREATE DATABASE ${database}`);
      const options = { ...common, type, url: new URL(`/${database}`, url).href } as const;
      return { options, drop: () => run(`DROP DATABASE ${database}`) };
    },
  };
}

/** Declares tests for MariaDB and for MySQL. Where one of them is missing, its tests are skipped. */
export function onMariadbAndMysql(title: string, tests: (server: MysqlServer) => void): void {
  for (const server of [mariadb, mysql])
    describe.skipIf(server.missing !== undefined)(`${title} ${titleOf(server)}`, () => {
      tests(server);
    });
}

const drivers = fileURLToPath(new URL('../drivers/', import.meta.url));
const hasSqlite = existsSync(join(drivers, 'node_modules/better-sqlite3'));

export const sqlite: TestedEngine = {
  name: 'SQLite',
  hasPool: false,
  ...(!hasSqlite && { missing: 'better-sqlite3 is not installed in test/drivers' }),
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'shipping-sqlite-'));
    const driver: unknown = createRequire(drivers)('better-sqlite3');
    const options = {
      ...common,
      type: 'better-sqlite3',
      driver,
      database: join(folder, 'test.db'),
      enableWAL: true,
    } as const;
    return { options, drop: () => rm(folder, { recursive: true, force: true }) };
  },
};

/** @returns the name of the engine for a title, with the reason if its tests are skipped */
export function titleOf({ name, missing: reason }: TestedEngine): string {
  return reason === undefined ? name : `${name} (skipped: ${reason})`;
}

/** @returns a DataSource that is open, with the tables */
export async function opened({ options }: EngineDatabase, more: object = {}): Promise<DataSource> {
  return new DataSource({ ...options, ...more } as DataSourceOptions).initialize();
}

/** Runs a statement on the server of PostgreSQL, over a connection of its own. */
export async function onPostgres(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function missing(reason: string, tryIt: () => Promise<void>): Promise<{ missing?: string }> {
  return tryIt().then(
    () => ({}),
    () => ({ missing: reason }),
  );
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function newName(): string {
  return `test_${randomUUID().replaceAll('-', '')}`;
}
