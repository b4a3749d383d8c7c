import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { schema } from '../../apps/sample/src/database.js';
import { serverUrl, type TestDatabase, testDatabase } from './database.js';
import { closedBy } from './engine.js';

/** The forms of docs/scaling.md. */
export const forms = ['hash-partitions', 'shards'] as const;
export type Form = (typeof forms)[number];

export interface ScaledDatabase {
  /** The database that the host uses, with the tables of the sample. */
  url: string;
  /** The databases that have the foreign partitions. */
  shards: string[];
  /** Drops all of them. Their servers must be up. */
  drop(): Promise<void>;
}

/** Our tables refer to nothing. The sample has a table that refers to `shipping_method`. */
const [dropForeignKey, addForeignKey] = [
  'ALTER TABLE shop_order DROP CONSTRAINT fk_shop_order_method',
  `ALTER TABLE shop_order ADD CONSTRAINT fk_shop_order_method
     FOREIGN KEY (project_id, method_id) REFERENCES shipping_method (project_id, id)`,
];

export const scalingSql = (name: Form | 'one-table'): string =>
  readFileSync(new URL(`../../docs/scaling/${name}.sql`, import.meta.url), 'utf8');

/**
 * @param shardServers the servers of the two shards; by default the one of this run, which is as good for the SQL
 * @param rows a statement that fills the tables before they get the form
 */
export async function scaledDatabase(
  form: Form,
  shardServers: readonly string[] = [serverUrl ?? '', serverUrl ?? ''],
  rows = '',
): Promise<ScaledDatabase> {
  const made: (() => Promise<unknown>)[] = [];
  const create = async (server: string): Promise<string> => {
    const name = `scaling_${randomBytes(6).toString('hex')}`;
    await runSql(server, `CREATE DATABASE ${name}`);
    made.push(() => runSql(server, `DROP DATABASE ${name} WITH (FORCE)`));
    const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
    const dataSource = new DataSource({ type: 'postgres', driver: pg, url, migrationsRun: true, ...schema });
    await (await dataSource.initialize()).destroy();
    await runSql(url, dropForeignKey);
    return url;
  };
  const url = await create(serverUrl ?? '');
  await runSql(url, rows);
  const shards: string[] = [];
  if (form === 'shards') {
    for (const server of shardServers) shards.push(await create(server));
    for (const shard of shards) await runSql(shard, scalingSql('hash-partitions'));
    await runSql(url, withPlaces(scalingSql('shards'), shards));
  } else {
    await runSql(url, scalingSql('hash-partitions'));
    await runSql(url, addForeignKey);
  }
  return {
    url,
    shards,
    drop: async () => {
      for (const drop of made) await drop();
    },
  };
}

/** For an application in the process of the test. */
export async function openScaled(
  form: Form,
  rows?: string,
): Promise<TestDatabase & { scaled: ScaledDatabase }> {
  const scaled = await scaledDatabase(form, undefined, rows);
  const open = (): Promise<TestDatabase> => testDatabase({ postgres: { url: scaled.url, schema: 'public' } });
  return { ...(await closedBy(scaled.drop, open)), scaled };
}

/** Where attacks run: with a server of PostgreSQL, also on both forms. */
export const places = ['one server', ...(serverUrl?.startsWith('postgres') ? forms : [])] as const;

export function openAt(place: (typeof places)[number]): Promise<TestDatabase> {
  return place === 'one server' ? testDatabase() : openScaled(place);
}

/**
 * Finds names all of whose projects are on one of the two shards.
 * @param suffixes make the ids of the projects out of a name
 */
export async function namesOn(
  url: string,
  shard: number,
  count: number,
  prefix: string,
  suffixes: readonly string[] = [''],
): Promise<string[]> {
  const found = await runSql<{ name: string }>(
    url,
    `SELECT name FROM (SELECT '${prefix}-${shard}-' || n AS name FROM generate_series(1, 9000) AS n) AS names
     WHERE NOT EXISTS (
       SELECT FROM unnest('{${suffixes.map((suffix) => `"${suffix}"`).join(',')}}'::text[]) AS suffix,
         generate_series(0, 7) AS part
       WHERE satisfies_hash_partition('shipping_project'::regclass, 8, part, (name || suffix)::varchar)
         AND (part % 2 <> ${shard} OR to_regclass('shipping_project_' || part) IS NULL))
     LIMIT ${count}`,
  );
  return found.map(({ name }) => name);
}

/** Puts the addresses of the shards in the place of those in the page. */
function withPlaces(sql: string, shards: readonly string[]): string {
  const { username, password } = new URL(shards[0] ?? '');
  return sql
    .replace(/host 'shard(\d)\.example', port '5432', dbname 'shipping'/g, (_place, shard: string) => {
      const { hostname, port, pathname } = new URL(shards[Number(shard)] ?? '');
      return `host '${hostname}', port '${port || 5432}', dbname '${pathname.slice(1)}'`;
    })
    .replace(`user ''shop'', password ''secret''`, `user ''${username}'', password ''${password}''`);
}

export async function runSql<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
