import {
  DataSource,
  type DataSourceOptions,
  DriverPackageNotInstalledError,
  type EntityManager,
} from 'typeorm';
import { StartupError } from './startup.js';

/**
 * TypeORM has one connection to SQLite, where transactions that overlap would become one. So they run one after
 * another.
 */
class OneTransactionAtATime extends DataSource {
  private last: Promise<unknown> = Promise.resolve();

  override transaction<Result>(
    ...args:
      | [run: (manager: EntityManager) => Promise<Result>]
      | [level: string, run: (manager: EntityManager) => Promise<Result>]
  ): Promise<Result> {
    const run = args.at(-1) as (manager: EntityManager) => Promise<Result>;
    const transaction = this.last.then(() => super.transaction(run));
    this.last = transaction.catch(() => undefined);
    return transaction;
  }
}

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
    return await new OneTransactionAtATime({ ...options, ...fixedOptions } as DataSourceOptions).initialize();
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
