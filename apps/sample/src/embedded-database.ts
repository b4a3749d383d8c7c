import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig, type PGlitePgConfig } from '@electric-sql/pglite/node-postgres';
import { lockDirectory } from './directory-lock.js';
import { StartupError, step } from './startup.js';

export interface EmbeddedDatabase {
  /** For TypeORM's `postgres` DataSource. One only: a second pool would wait for the first one for ever. */
  options: { extra: PGlitePgConfig; poolSize: number; connectTimeoutMS: number };
  close(): Promise<void>;
}

/**
 * PostgreSQL in this process, kept in a directory that no other process may have open: PGlite itself would let
 * a second one in, and lose rows.
 * @throws StartupError when the directory is in use, or cannot be used
 */
export async function openEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(unusable(dataDir));
  const lock = await lockDirectory(dataDir).catch(unusable(dataDir));
  try {
    const cluster = join(dataDir, 'postgres');
    if (!existsSync(cluster)) await initialise(cluster, dataDir);
    const lite = await PGlite.create(cluster);
    return {
      // One connection, so that statements wait for their turn; and PGlite never comes back from some faults of
      // the disk. No request waits for longer than both together.
      options: {
        extra: Object.assign(createPgConfig(lite), { query_timeout: 4_500 }),
        poolSize: 1,
        connectTimeoutMS: 3_000,
      },
      close: async () => {
        await lite.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    return unusable(dataDir)(error);
  }
}

/** Under another name until it is whole, so that a kill in between leaves nothing that looks like a database. */
async function initialise(cluster: string, dataDir: string): Promise<void> {
  const half = `${cluster}.unfinished`;
  await rm(half, { recursive: true, force: true });
  await step(`Creating the embedded database in ${resolve(dataDir)} (once, 5 to 20 s)`, async () => {
    const lite = await PGlite.create(half);
    await lite.close();
    await rename(half, cluster);
  });
}

function unusable(dataDir: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `DATA_DIR=${dataDir} cannot hold the embedded database: set it to a directory that this user can write, ` +
        `or whose data this version wrote (${String(error)}).`,
      { cause: error },
    );
  };
}
