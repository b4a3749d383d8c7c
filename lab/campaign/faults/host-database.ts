import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverUrl } from '../../../test/support/database.js';
import { type places, scaledDatabase } from '../../../test/support/scaling.js';
import { prepareDirectory } from './embedded-directory.js';
import { MariadbDatabase } from './mariadb-database.js';
import { PostgresDatabase } from './postgres-database.js';
import { type ServerDatabase } from './server-database.js';

export type Environment = Readonly<Record<string, string>>;

/** @param server the URL of a superuser; by default the server of this run */
export function createDatabase(server = serverUrl ?? ''): Promise<ServerDatabase> {
  return (/^(mariadb|mysql):/.test(server) ? MariadbDatabase : PostgresDatabase).create(server);
}

/** A database for one sample host, and the environment that names it. */
export async function hostDatabase(
  place: (typeof places)[number] = 'one server',
): Promise<{ env: Environment; clean: () => Promise<void> }> {
  if (place !== 'one server') {
    const { url, drop } = await scaledDatabase();
    return { env: { DATABASE_URL: url }, clean: drop };
  }
  if (serverUrl && !serverUrl.startsWith('sqlite')) {
    const database = await createDatabase();
    return { env: { DATABASE_URL: database.url }, clean: () => database.drop() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'host-'));
  return { env: await fileDatabase(folder), clean: () => rm(folder, { recursive: true }) };
}

/** A database in this folder: that of SQLite, or the embedded one. */
export async function fileDatabase(folder: string): Promise<Environment> {
  if (serverUrl) {
    const drivers = fileURLToPath(new URL('../../../test/drivers/node_modules', import.meta.url));
    return { DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`, NODE_PATH: drivers };
  }
  await prepareDirectory(folder);
  return { DATA_DIR: folder };
}
