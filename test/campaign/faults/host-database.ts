import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engine, serverUrl } from '../../support/database.js';
import { prepareDirectory } from './embedded-directory.js';
import { ServerDatabase } from './server-database.js';

/** A database for one sample host, and the environment that names it. */
export async function hostDatabase(): Promise<{ env: Record<string, string>; clean: () => Promise<void> }> {
  if (serverUrl?.startsWith('postgres')) {
    const database = await ServerDatabase.create();
    return { env: { DATABASE_URL: database.url }, clean: () => database.drop() };
  }
  if (serverUrl?.startsWith('mariadb')) {
    const { dataSource, close } = await engine.open({ migrationsRun: false });
    const url = Object.assign(new URL(serverUrl), { pathname: `/${dataSource.driver.database}` });
    return { env: { DATABASE_URL: url.href }, clean: close };
  }
  const folder = await mkdtemp(join(tmpdir(), 'kill-'));
  const clean = (): Promise<void> => rm(folder, { recursive: true });
  if (serverUrl) {
    const drivers = fileURLToPath(new URL('../../drivers/node_modules', import.meta.url));
    return { env: { DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`, NODE_PATH: drivers }, clean };
  }
  await prepareDirectory(folder);
  return { env: { DATA_DIR: folder }, clean };
}
