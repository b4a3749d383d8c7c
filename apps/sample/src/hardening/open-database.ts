import { setTimeout as delay } from 'node:timers/promises';
import mysql from 'mysql2';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { boundLeases, mysqlLimits, postgresLimits } from './bounded-pool.js';
import { type Config, readConfig } from './config.js';
import { openEmbeddedDatabase, type Schema } from './embedded-database.js';
import { openSqlite } from './sqlite-database.js';
import { StartupError, step } from './startup.js';

const maxConnectTries = 8;
const connectRetryMs = 2_000;

/**
 * Opens the database and migrates it. Destroying the DataSource closes the database, too.
 * @param schema the entities and migrations, which are the same on every engine
 * @throws StartupError
 */
export async function openDatabase(
  schema: Schema,
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'> = readConfig(process.env),
): Promise<DataSource> {
  const [, file] = /^sqlite:(.*)/.exec(databaseUrl ?? '') ?? [];
  if (databaseUrl !== undefined && file === undefined) return openServer(databaseUrl, schema);
  const dataSource = await (file === undefined
    ? openEmbeddedDatabase(dataDir, schema)
    : openSqlite(file, schema));
  await migrate(dataSource);
  return dataSource;
}

async function openServer(url: string, schema: Schema): Promise<DataSource> {
  const type = new URL(url).protocol.slice(0, -1);
  const shared = { url, poolSize: 10, ...schema };
  const isMysql = type === 'mariadb' || type === 'mysql';
  const options: DataSourceOptions = isMysql
    ? { type, driver: mysql, charset: 'utf8mb4', timezone: 'Z', ...shared }
    : { type: 'postgres', driver: pg, applicationName: 'nestjs-shipping-sample', ...shared };
  // The lock makes instances that start together migrate one after another. It ends with this connection, which has
  // no limits of time.
  const single = await connected({ ...options, poolSize: 1 }, url);
  await single.query(
    `SELECT ${isMysql ? "GET_LOCK('nestjs-shipping', 600)" : 'pg_advisory_lock(1763683200)'}`,
  );
  await migrate(single);
  await single.destroy();
  const limits = isMysql ? mysqlLimits : postgresLimits;
  const dataSource = await connected({ ...options, ...limits } as DataSourceOptions, url);
  boundLeases(dataSource);
  return dataSource;
}

/**
 * Errors after which it does not help to wait: wrong credentials, no such database, no permission, or another
 * engine.
 */
const finalErrors = /^(28|3D|42|ER_(BAD_DB|(DB)?ACCESS_DENIED)|undefined The server is)/;

async function connected(options: DataSourceOptions, url: string): Promise<DataSource> {
  const dataSource = new DataSource(options);
  // Messages show the server without its credentials.
  const place = new URL(url).host || 'DATABASE_URL';
  for (let attempt = 1; !dataSource.isInitialized; attempt++) {
    await dataSource.initialize().catch(async (error: { code?: string; message: string }) => {
      const reason = error.message || error.code;
      const isFinal = finalErrors.test(`${error.code} ${error.message}`);
      if (isFinal || attempt === maxConnectTries) {
        const remedy = isFinal ? 'correct DATABASE_URL' : 'start it, or correct DATABASE_URL';
        throw new StartupError(`No database at ${place} (${reason}): ${remedy}.`, { cause: error });
      }
      console.log(`Waiting for the database at ${place} (${reason}) …`);
      await delay(connectRetryMs);
    });
  }
  return dataSource;
}

async function migrate(dataSource: DataSource): Promise<void> {
  const isPending = await dataSource.showMigrations();
  if (isPending) await step('Migrating the database', () => dataSource.runMigrations());
}
