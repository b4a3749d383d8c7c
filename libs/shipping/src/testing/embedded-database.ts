import { once } from 'node:events';
import { readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type PGlite } from '@electric-sql/pglite';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { shippingMigrations } from '../storage/migrations/migrations.js';
import { shippingEntities } from '../shipping.entities.js';
import { pglitePath } from './pglite-path.cjs';
import { serve, type ThreadData } from './postgres-thread.js';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;
type EmbeddedOptions = Pick<PostgresOptions, 'type' | 'driver' | 'extra' | 'poolSize' | 'connectTimeoutMS'>;

/**
 * What a TypeORM DataSource needs to run on an empty PostgreSQL inside this process (PGlite, an optional
 * peer: `npm i -D @electric-sql/pglite`). It has one connection, so give the options to one DataSource only.
 */
export async function embeddedPostgres(): Promise<EmbeddedOptions> {
  return optionsOn(await openThread());
}

/**
 * PGlite in a thread of its own: a test runner's sandbox, such as Jest's, cannot load it.
 * @throws Error when PGlite is not installed
 */
async function openThread(): Promise<Worker> {
  const pglite = installedPglite();
  const manifest = readFileSync(join(dirname(realpathSync(pglite)), '..', 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const snapshot = join(tmpdir(), `nestjs-shipping-pglite-${version}.tar.gz`);
  const workerData: ThreadData = { pglite, snapshot };
  const thread = new Worker(`(${String(serve)})()`, { eval: true, workerData });
  await once(thread, 'message');
  // A database that nobody uses any more does not keep the process running.
  thread.unref();
  return thread;
}

function installedPglite(): string {
  try {
    return pglitePath();
  } catch (cause) {
    const remedy = 'npm i -D @electric-sql/pglite pg';
    throw new Error(`The embedded PostgreSQL needs PGlite, which is not installed: ${remedy}.`, { cause });
  }
}

type Answers = Awaited<ReturnType<PGlite['execProtocolStream']>>;

/** The part of PGlite that a connection of `pg` uses, on the other side of the thread. */
function databaseIn(thread: Worker): PGlite {
  const end = once(thread, 'exit').then((): never => {
    throw new Error('The embedded PostgreSQL has ended: its DataSource was destroyed.');
  });
  end.catch(() => undefined);
  const execProtocolStream: PGlite['execProtocolStream'] = async (message) => {
    thread.ref();
    thread.postMessage(message);
    const [answers] = (await Promise.race([once(thread, 'message'), end])) as [Answers | { failed: string }];
    thread.unref();
    if ('failed' in answers) throw new Error(answers.failed);
    return answers.map((answer) => (answer.name === 'error' ? Object.assign(new Error(), answer) : answer));
  };
  const used: Pick<PGlite, 'waitReady' | 'execProtocolStream'> = {
    waitReady: Promise.resolve(),
    execProtocolStream,
  };
  return used as PGlite;
}

async function optionsOn(thread: Worker): Promise<EmbeddedOptions> {
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres');
  const { default: driver } = await import('pg');
  const extra = createPgConfig(databaseIn(thread));
  // With its one connection taken, a mistake must be an error and not a test that hangs.
  return { type: 'postgres', driver, extra, poolSize: 1, connectTimeoutMS: 10_000 };
}

/**
 * `TypeOrmModule` on an embedded database of its own, migrated: import it beside `ShippingModule` in a test.
 * @param options more of the DataSource: its `name`, the host's own `entities` and `migrations`
 */
export function embeddedTypeOrm({
  name,
  ...options
}: Partial<PostgresOptions> & { name?: string } = {}): DynamicModule {
  return TypeOrmModule.forRootAsync({
    name,
    useFactory: () => ({
      // At shutdown @nestjs/typeorm 11 looks the DataSource up by the name among these options.
      ...(name !== undefined && { name }),
      type: 'postgres' as const,
      autoLoadEntities: true,
      migrationsRun: true,
      // A mistake in an entity or a migration is the same mistake at the next try.
      retryAttempts: 1,
      ...options,
      entities: [...shippingEntities, ...(listOf(options.entities) ?? [])],
      migrations: [...shippingMigrations, ...(listOf(options.migrations) ?? [])],
    }),
    dataSourceFactory: dataSourceInThread,
  });
}

/** A DataSource with a database of its own, which ends with it: an open engine would keep the process alive. */
async function dataSourceInThread(options?: DataSourceOptions): Promise<DataSource> {
  if (options?.type !== 'postgres') throw new Error('embeddedTypeOrm() has a PostgreSQL: leave out `type`.');
  const thread = await openThread();
  const dataSource = new DataSource({ ...options, ...(await optionsOn(thread)) });
  const destroy = dataSource.destroy.bind(dataSource);
  dataSource.destroy = async () => {
    await destroy();
    await thread.terminate();
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
