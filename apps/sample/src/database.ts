import { setTimeout as delay } from 'node:timers/promises';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import pg from 'pg';
import { DataSource, MigrationExecutor } from 'typeorm';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { boundLeases, limits } from './bounded-pool.js';
import { type Config } from './config.js';
import { openEmbeddedDatabase } from './embedded-database.js';
import { CreateDeskOrder } from './order-desk/1763683300000-create-desk-order.js';
import { DeskOrder } from './order-desk/desk-order.entity.js';
import { StartupError, step } from './startup.js';

/** The tables are the same on a server and in the embedded database. */
export const schema = {
  entities: [...shippingEntities, DeskOrder],
  migrations: [...shippingMigrations, CreateDeskOrder],
};

/** Any constant. With this lock, instances that start together on one server migrate one after another. */
const startupLock = 1_763_683_200;

const maxConnectTries = 8;
const connectRetryMs = 2_000;

/** Opens the database and migrates it. Destroying the DataSource closes all of it. @throws StartupError */
export async function openDatabase({ databaseUrl, dataDir }: Config): Promise<DataSource> {
  if (databaseUrl !== undefined) return openServer(databaseUrl);
  const dataSource = await openEmbeddedDatabase(dataDir, schema);
  await migrate(dataSource);
  return dataSource;
}

async function openServer(url: string): Promise<DataSource> {
  const applicationName = 'nestjs-shipping-sample';
  const server = { type: 'postgres', driver: pg, url, applicationName, poolSize: 10 } as const;
  const dataSource = new DataSource({ ...server, ...schema, ...limits });
  await connect(dataSource, new URL(url).host || 'DATABASE_URL');
  await migrate(dataSource);
  // Only now, because migrations may take longer.
  boundLeases((dataSource.driver as PostgresDriver).master as pg.Pool);
  return dataSource;
}

/** @param place the server without its credentials, because messages show it */
async function connect(dataSource: DataSource, place: string): Promise<void> {
  for (let attempt = 1; !dataSource.isInitialized; attempt++) {
    await dataSource.initialize().catch(async (error: { code?: string; message: string }) => {
      const reason = error.message || error.code;
      // Wrong credentials, no such database, no permission: waiting does not help.
      const isFinal = /^(28|3D|42)/.test(error.code ?? '');
      if (isFinal || attempt === maxConnectTries) {
        const remedy = isFinal ? 'correct DATABASE_URL' : 'start it, or correct DATABASE_URL';
        throw new StartupError(`No database at ${place} (${reason}): ${remedy}.`, { cause: error });
      }
      console.log(`Waiting for the database at ${place} (${reason}) …`);
      await delay(connectRetryMs);
    });
  }
}

async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SET statement_timeout = 0');
    await runner.query('SELECT pg_advisory_lock($1)', [startupLock]);
    const migrations = new MigrationExecutor(dataSource, runner);
    const pending = await migrations.getPendingMigrations();
    if (pending.length > 0) {
      await step('Migrating the database', () => migrations.executePendingMigrations());
    }
    await runner.query('SELECT pg_advisory_unlock($1)', [startupLock]);
    await runner.query('RESET statement_timeout');
  } finally {
    await runner.release();
  }
}
