import { setTimeout as delay } from 'node:timers/promises';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import pg from 'pg';
import { DataSource, MigrationExecutor } from 'typeorm';
import { boundedDriver, limits } from './bounded-pool.js';
import { type Config } from './config.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import { CreateDeskOrder } from './order-desk/1763683300000-create-desk-order.js';
import { DeskOrder } from './order-desk/desk-order.entity.js';
import { StartupError, step } from './startup.js';

/** What the sample keeps, wherever it keeps it. */
export const schema = {
  entities: [...shippingEntities, DeskOrder],
  migrations: [...shippingMigrations, CreateDeskOrder],
};

export interface Database {
  dataSource: DataSource;
  close(): Promise<void>;
}

/** Any constant: instances that start together on one server migrate one after another. */
const startupLock = 1_763_683_200;

const maxConnectTries = 8;
const connectRetryMs = 2_000;

/** Opens and migrates it. @throws StartupError */
export async function openDatabase({ databaseUrl, dataDir }: Config): Promise<Database> {
  if (databaseUrl !== undefined) return openServer(databaseUrl);
  const embedded = await openEmbeddedDatabase(dataDir);
  const dataSource = new DataSource({ type: 'postgres', driver: pg, ...schema, ...embedded.options });
  await dataSource.initialize();
  await migrate(dataSource);
  return { dataSource, close: () => closed(dataSource).finally(() => embedded.close()) };
}

/** Migrations may take their time, and wait for those of other instances; requests may not. */
async function openServer(url: string): Promise<Database> {
  const server = { type: 'postgres', ...schema, url, applicationName: 'nestjs-shipping-sample' } as const;
  const patient = new DataSource({ ...server, driver: pg, poolSize: 1, connectTimeoutMS: 5_000 });
  await connect(patient, new URL(url).host || 'DATABASE_URL');
  await migrate(patient).finally(() => closed(patient));
  const dataSource = new DataSource({ ...server, driver: boundedDriver, poolSize: 10, ...limits });
  await dataSource.initialize();
  return { dataSource, close: () => closed(dataSource) };
}

/** @param place the server without its credentials: what may be printed */
async function connect(dataSource: DataSource, place: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await dataSource.initialize();
      return;
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      const reason = message || code;
      // Wrong credentials, no such database, no permission: waiting will not help.
      const isFinal = /^(28|3D|42)/.test(code);
      if (isFinal || attempt === maxConnectTries) {
        const remedy = isFinal ? 'correct DATABASE_URL' : 'start it, or correct DATABASE_URL';
        throw new StartupError(`No database at ${place} (${reason}): ${remedy}.`, { cause: error });
      }
      console.log(`Waiting for the database at ${place} (${reason}) …`);
      await delay(connectRetryMs);
    }
  }
}

async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [startupLock]);
    const migrations = new MigrationExecutor(dataSource, runner);
    const pending = await migrations.getPendingMigrations();
    if (pending.length > 0) {
      await step('Migrating the database', () => migrations.executePendingMigrations());
    }
    await runner.query('SELECT pg_advisory_unlock($1)', [startupLock]);
  } finally {
    await runner.release();
  }
}

/** Nest has closed it already when the application was up. */
async function closed(dataSource: DataSource): Promise<void> {
  if (dataSource.isInitialized) await dataSource.destroy();
}
