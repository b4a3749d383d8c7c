import { describe } from 'vitest';
import { abilities, type Ability, type DatabaseSettings, type Engine, type TestDatabase } from './engine.js';
import { mariadb } from './engines/mariadb.js';
import { postgres } from './engines/postgres.js';
import { sqlite } from './engines/sqlite.js';

export { type TestDatabase } from './engine.js';

/** The server of this run. Undefined for the embedded database. */
export const serverUrl = process.env['TEST_DATABASE_URL'];

/**
 * The engine of this run, by its URL: `postgres://…`, `mariadb://…`, `mysql://…`, `sqlite:`. Without a URL, it is the
 * embedded PostgreSQL.
 */
export const engine = engineOf(serverUrl);

function engineOf(url: string | undefined): Engine {
  const scheme = url?.split(':')[0];
  if (url === undefined || scheme === 'postgres' || scheme === 'postgresql') return postgres(url);
  if (scheme === 'mariadb' || scheme === 'mysql') return mariadb(url);
  if (scheme === 'sqlite') return sqlite();
  throw new Error(
    `TEST_DATABASE_URL is of no known engine: write postgres://, mariadb://, mysql:// or sqlite:.`,
  );
}

/** A database of its own, empty but for the tables. */
export function testDatabase(settings: DatabaseSettings = {}): Promise<TestDatabase> {
  return engine.open(settings);
}

const declared = (_reason: string, tests: () => void): void => tests();
const skipped = (reason: string, tests: () => void): void => {
  describe.skipIf(true)(`(${reason})`, () => {
    tests();
  });
};

/** Declares tests that need something of the engine. Elsewhere they are skipped, and the reason is in their title. */
export function onlyWhere(needed: Ability, tests: () => void): void {
  const declare = engine.has[needed] ? declared : skipped;
  declare(abilities[needed], tests);
}
