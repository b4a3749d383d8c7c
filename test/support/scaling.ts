import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { schema } from '../../apps/sample/src/database.js';
import { serverUrl, type TestDatabase, testDatabase } from './database.js';
import { closedBy } from './engine.js';

export const scalingSql = (name: 'hash-partitions' | 'one-table' | 'brin-index'): string =>
  readFileSync(new URL(`../../docs/scaling/${name}.sql`, import.meta.url), 'utf8');

/**
 * Creates a database with the tables of the sample, with its events in the hash partitions of docs/scaling.md.
 * @param rows a statement that fills the tables before the events are divided
 */
export async function scaledDatabase(rows = ''): Promise<{ url: string; drop(): Promise<void> }> {
  const server = serverUrl ?? '';
  const name = `scaling_${randomBytes(6).toString('hex')}`;
  await runSql(server, `CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const dataSource = new DataSource({ type: 'postgres', driver: pg, url, migrationsRun: true, ...schema });
  await (await dataSource.initialize()).destroy();
  await runSql(url, rows);
  await runSql(url, scalingSql('hash-partitions'));
  const drop = async (): Promise<void> => {
    await runSql(server, `DROP DATABASE ${name} WITH (FORCE)`);
  };
  return { url, drop };
}

/** For an application in the process of the test. */
export async function openScaled(rows?: string): Promise<TestDatabase & { url: string }> {
  const { url, drop } = await scaledDatabase(rows);
  const open = (): Promise<TestDatabase> => testDatabase({ postgres: { url, schema: 'public' } });
  return { ...(await closedBy(drop, open)), url };
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
