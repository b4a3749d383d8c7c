import pg from 'pg';
import { type Target } from '../../../test/support/proxy.js';
import { newDatabase, type ServerDatabase, urlAt } from './server-database.js';

const ofHost = "datname = current_database() AND application_name <> 'faults'";
const sessions = {
  idle: "state = 'idle'",
  waiting: "state = 'active' AND wait_event_type = 'Lock'",
  one: 'true ORDER BY random() LIMIT 1',
};

export class PostgresDatabase implements ServerDatabase {
  private constructor(
    readonly url: string,
    private readonly server: string,
    private readonly name: string,
  ) {}

  static async create(server: string): Promise<PostgresDatabase> {
    const { name, url } = newDatabase(server);
    await query(server, `CREATE DATABASE ${name}`);
    return new PostgresDatabase(url, server, name);
  }

  get target(): Target {
    const { hostname, port } = new URL(this.url);
    return { host: hostname, port: Number(port || 5432) };
  }

  urlAt(port: number): string {
    return urlAt(this.url, port);
  }

  query<Row extends object>(sql: string): Promise<Row[]> {
    return query(this.url, sql);
  }

  async lockTables(...names: string[]): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'faults' });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    return () => client.end();
  }

  async waiting(): Promise<number> {
    const found = await this.query(
      `SELECT pid FROM pg_stat_activity WHERE ${ofHost} AND ${sessions.waiting}`,
    );
    return found.length;
  }

  async terminate(which: keyof typeof sessions): Promise<number> {
    const ended = await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofHost} AND ${sessions[which]}`,
    );
    return ended.length;
  }

  async drop(): Promise<void> {
    await query(this.server, `DROP DATABASE ${this.name} WITH (FORCE)`);
  }
}

async function query<Row extends object>(connectionString: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString, application_name: 'faults' });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
