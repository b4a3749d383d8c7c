import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { lockDirectory } from './directory-lock.js';
import { StartupError, step } from './startup.js';

export type Schema = Pick<DataSourceOptions, 'entities' | 'migrations'>;

/**
 * Opens a PostgreSQL inside this process, with its data in a directory. No other process may open the directory at
 * the same time. PGlite would not prevent it, and rows would be lost.
 * @throws StartupError when the directory is in use, or cannot be used
 */
export async function openEmbeddedDatabase(dataDir: string, schema: Schema): Promise<DataSource> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const lock = await lockDirectory(dataDir);
    const cluster = join(dataDir, 'postgres');
    if (!existsSync(cluster)) await initialise(cluster, dataDir);
    return await onPglite(await PGlite.create(cluster), lock, schema).initialize();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `DATA_DIR=${dataDir} cannot hold the embedded database: set it to a directory that this user can write, ` +
        `or whose data this version wrote (${String(error)}).`,
      { cause: error },
    );
  }
}

function onPglite(lite: PGlite, lock: Server, schema: Schema): DataSource {
  // PGlite has one connection, so statements run one after another. After some failures of the disk, it never responds.
  // Then one request waits for ever, and the others are refused after this time.
  const connection = { extra: createPgConfig(lite), poolSize: 1, connectTimeoutMS: 3_000 };
  const dataSource = new DataSource({ type: 'postgres', driver: pg, ...connection, ...schema });
  const destroy = dataSource.destroy.bind(dataSource);
  dataSource.destroy = () =>
    destroy()
      .then(() => lite.close())
      .then(() => void lock.close());
  return dataSource;
}

/**
 * The directory gets its final name when it is complete. So a killed process never leaves an incomplete database
 * under this name.
 */
async function initialise(cluster: string, dataDir: string): Promise<void> {
  const unfinished = `${cluster}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await step(`Creating the embedded database in ${resolve(dataDir)} (once, 5 to 20 s)`, async () => {
    const lite = await PGlite.create(unfinished);
    await lite.close();
    await rename(unfinished, cluster);
  });
}
