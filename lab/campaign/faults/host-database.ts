import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { serverUrl } from '../../../test/support/database.js';
import { snapshotUrl } from '../../../test/support/snapshot.js';
import { MariadbDatabase } from './mariadb-database.js';
import { PostgresDatabase } from './postgres-database.js';
import { type ServerDatabase } from './server-database.js';

export type Environment = Readonly<Record<string, string>>;

/** @param server the URL of a superuser; by default the server of this run */
export function createDatabase(server = serverUrl ?? ''): Promise<ServerDatabase> {
  return (/^(mariadb|mysql):/.test(server) ? MariadbDatabase : PostgresDatabase).create(server);
}

/** A database for one sample host, and the environment that names it. */
export async function hostDatabase(): Promise<{ env: Environment; clean: () => Promise<void> }> {
  if (serverUrl) {
    const database = await createDatabase();
    return { env: { DATABASE_URL: database.url }, clean: () => database.drop() };
  }
  // The folder becomes what the first start would make, but from the snapshot of the tests, without initdb.
  const folder = await mkdtemp(join(tmpdir(), 'host-'));
  const snapshot = new Blob([await readFile(snapshotUrl())]);
  await (await PGlite.create({ dataDir: folder, loadDataDir: snapshot })).close();
  return { env: { DATA_DIR: folder }, clean: () => rm(folder, { recursive: true }) };
}
