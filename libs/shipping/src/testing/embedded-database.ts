import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type DynamicModule } from '@nestjs/common';
import { type PGlite } from '@electric-sql/pglite';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { pglitePath } from './pglite-path.cjs';
import { serve } from './postgres-thread.js';
import { endingWith, migratedTypeOrm } from './test-database.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;
type EmbeddedOptions = Pick<PostgresOptions, 'type' | 'driver' | 'extra' | 'poolSize' | 'connectTimeoutMS'>;
type Responses = Awaited<ReturnType<PGlite['execProtocolStream']>> | { failed: string };

/**
 * Returns the options of a TypeORM DataSource on an empty PostgreSQL inside this process. It is PGlite, which needs two
 * packages: `npm i -D pg "@electric-sql/pglite"`. It has one connection, so give the options to one DataSource only.
 * @example
 * const dataSource = new DataSource({
 *   ...(await embeddedPostgresOptions()),
 *   entities: shippingEntities,
 *   migrations: shippingMigrations,
 * });
 */
export async function embeddedPostgresOptions(): Promise<EmbeddedOptions> {
  return optionsOn(await openThread());
}

/**
 * Starts PGlite in a thread of its own, because the sandbox of a test runner such as Jest cannot load it.
 * @throws Error when PGlite is not installed
 */
async function openThread(): Promise<Worker> {
  // If esbuild keeps the names of functions, the text calls its helper.
  const thread = new Worker(`const __name = (named) => named; (${String(serve)})()`, {
    eval: true,
    workerData: pglitePath(),
  });
  await once(thread, 'message');
  // An unused database does not keep the process running.
  thread.unref();
  return thread;
}

/** Returns the part of PGlite that a connection of `pg` uses. It sends the messages to the thread. */
function databaseIn(thread: Worker): PGlite {
  const end = once(thread, 'exit').then((): never => {
    throw new Error('The embedded PostgreSQL has ended: its DataSource was destroyed.');
  });
  end.catch(() => undefined);
  const usedPart: Pick<PGlite, 'waitReady' | 'execProtocolStream'> = {
    waitReady: Promise.resolve(),
    execProtocolStream: async (message) => {
      thread.ref();
      thread.postMessage(message);
      const [responses] = (await Promise.race([once(thread, 'message'), end])) as [Responses];
      thread.unref();
      if ('failed' in responses) throw new Error(responses.failed);
      return responses.map((each) => (each.name === 'error' ? Object.assign(new Error(), each) : each));
    },
  };
  return usedPart as PGlite;
}

async function optionsOn(thread: Worker): Promise<EmbeddedOptions> {
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres');
  const { default: pg } = await import('pg');
  const extra = createPgConfig(databaseIn(thread));
  // A test in Jest or Vitest ends after five seconds. With a shorter time-out, it shows the error of the pool.
  return { type: 'postgres', driver: pg, extra, poolSize: 1, connectTimeoutMS: 4_000 };
}

/**
 * Returns `TypeOrmModule` with a new, migrated PostgreSQL inside this process. Import it beside `ShippingModule` in a
 * test. It is PGlite, which needs two packages: `npm i -D pg "@electric-sql/pglite"`.
 * @param options more options of the DataSource: its `name`, and your own `entities` and `migrations`, which are added to
 *   ours
 * @example
 * const testing = await Test.createTestingModule({
 *   imports: [embeddedTypeOrmModule(), ShippingModule.forRoot()],
 * }).compile();
 */
export function embeddedTypeOrmModule(
  options: Partial<PostgresOptions> & { name?: string | undefined } = {},
): DynamicModule {
  return migratedTypeOrm({ type: 'postgres', ...options }, dataSourceInThread);
}

/**
 * Returns a DataSource with its own database. Destroying the DataSource ends the database, which would otherwise keep
 * the process alive.
 */
async function dataSourceInThread(options: DataSourceOptions): Promise<DataSource> {
  if (options.type !== 'postgres')
    throw new Error('embeddedTypeOrmModule() always uses PostgreSQL. Leave out `type`.');
  const thread = await openThread();
  return endingWith(new DataSource({ ...options, ...(await optionsOn(thread)) }), () => thread.terminate());
}
