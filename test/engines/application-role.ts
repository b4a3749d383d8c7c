import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type DataSource } from 'typeorm';
import { type EngineDatabase, opened } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

/** A file of docs/sql, for the role and the database of a test. */
export function sqlOf(file: string, role: string, place: string): string {
  const sql = readFileSync(new URL(`../../docs/${file}.sql`, import.meta.url), 'utf8');
  return sql
    .replaceAll('shop_app', role)
    .replaceAll('schema public', `schema ${place}`)
    .replaceAll('shop.', `${place}.`);
}

export function statementsOf(sql: string): string[] {
  return sql
    .replace(/^--.*$/gm, '')
    .split(';\n')
    .filter((each) => each.trim() !== '');
}

/** The tables in the database of a test, their owner, and a role for the application. */
export interface RoleDatabase {
  role: string;
  /** The schema on PostgreSQL, or the database. */
  place: string;
  owner: DataSource;
  /** Runs a file of docs/sql as the owner. */
  run(file: string): Promise<void>;
  /** Starts the application as the role. */
  start(): Promise<EngineHost>;
  close(): Promise<void>;
}

/** Creates a role without any right. */
export async function withRole(database: EngineDatabase): Promise<RoleDatabase> {
  const role = `app_${randomBytes(6).toString('hex')}`;
  const { url = '', schema, type } = database.options as { url?: string; schema?: string; type: string };
  const isPostgres = type === 'postgres';
  const owner = await opened(database, { extra: schema ? { options: `-c search_path=${schema}` } : {} });
  await owner.query(
    isPostgres ? `CREATE ROLE ${role} LOGIN PASSWORD 'p'` : `CREATE USER ${role} IDENTIFIED BY 'p'`,
  );
  const address = Object.assign(new URL(url), { username: role, password: 'p' });
  const place = schema ?? new URL(url).pathname.slice(1);
  return {
    role,
    place,
    owner,
    async run(file) {
      for (const statement of statementsOf(sqlOf(file, role, place))) await owner.query(statement);
    },
    start: () => hostOn(database, {}, { url: address.href, migrationsRun: false }),
    async close() {
      if (isPostgres) await owner.query(`DROP OWNED BY ${role}`);
      await owner.query(isPostgres ? `DROP ROLE ${role}` : `DROP USER ${role}`);
      await owner.destroy();
      await database.drop();
    },
  };
}
