import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onExit } from './processes.mjs';

const driver = fileURLToPath(new URL('../test/drivers/node_modules/better-sqlite3', import.meta.url));
const require = createRequire(import.meta.url);

/** What the contenders need: the driver is compiled in a package of its own. */
export const env = { SQLITE_DRIVER: driver };

/** One file, which all contenders open. Only one of them gets requests at a time. */
export function newDatabase(name) {
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-shipping-bench-'));
  onExit(() => rmSync(folder, { recursive: true, force: true }));
  return { url: `sqlite:${folder}/${name}.db`, isInProcess: true };
}

/** Such as `SQLite 3.53.0`. */
export function version() {
  const database = new (require(driver))(':memory:');
  return `SQLite ${database.prepare('SELECT sqlite_version()').pluck().get()}`;
}

export function openForLoad(url) {
  const database = new (require(driver))(url.replace('sqlite:', ''));
  return {
    insert(table, columns, rows) {
      const statement = database.prepare(
        `INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`,
      );
      database.transaction(() => rows.forEach((row) => statement.run(row)))();
    },
    close() {
      database.exec('ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
  };
}
