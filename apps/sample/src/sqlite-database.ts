import { DataSource, type DataSourceOptions, DriverPackageNotInstalledError } from 'typeorm';
import { StartupError } from './startup.js';

/**
 * Opens SQLite in this process. No other process can open the file at the same time.
 * @param options the entities and migrations, and a driver if better-sqlite3 is not installed
 * @throws StartupError
 */
export async function openSqlite(database: string, options: Partial<DataSourceOptions>): Promise<DataSource> {
  const prepareDatabase = (file: { pragma(text: string): void }): void =>
    file.pragma('locking_mode = EXCLUSIVE');
  const fixedOptions = {
    type: 'better-sqlite3',
    database,
    enableWAL: true,
    timeout: 0,
    prepareDatabase,
  } as const;
  try {
    return await new DataSource({ ...options, ...fixedOptions } as DataSourceOptions).initialize();
  } catch (error) {
    const isMissing = error instanceof DriverPackageNotInstalledError;
    const reason = isMissing ? 'its driver is not installed' : String(error);
    const remedy = isMissing
      ? 'npm install --no-save better-sqlite3'
      : 'name a file that only this process uses';
    throw new StartupError(`DATABASE_URL=sqlite:${database} cannot be opened (${reason}): ${remedy}.`, {
      cause: error,
    });
  }
}
