import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { serverUrl } from '../../support/database.js';
import { type Target } from './proxy.js';

/** A server database for one test file, because the sample host keeps its tables in `public`. */
export class ServerDatabase {
  private constructor(
    readonly url: string,
    private readonly server: string,
    private readonly name: string,
  ) {}

  /** @param server the URL of a superuser; by default the server of this run */
  static async create(server = serverUrl ?? ''): Promise<ServerDatabase> {
    const name = `faults_${randomBytes(6).toString('hex')}`;
    await query(server, `CREATE DATABASE ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    return new ServerDatabase(url.href, server, name);
  }

  get target(): Target {
    const { hostname, port } = new URL(this.url);
    return { host: hostname, port: Number(port || 5432) };
  }

  /** The same database as seen through a proxy on this port. */
  urlAt(port: number): string {
    const url = new URL(this.url);
    url.host = `127.0.0.1:${port}`;
    return url.href;
  }

  /** Runs a query on its own connection. */
  async query<Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return query<Row>(this.url, sql, parameters);
  }

  /** A session that stays open, to hold locks. */
  async session(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'faults' });
    await client.connect();
    return client;
  }

  /** Ends the sessions of the host for which this condition on `pg_stat_activity` holds. */
  async terminate(condition: string): Promise<number> {
    const ended = await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'nestjs-shipping-sample' AND (${condition})`,
    );
    return ended.length;
  }

  async drop(): Promise<void> {
    await query(this.server, `DROP DATABASE ${this.name} WITH (FORCE)`);
  }
}

async function query<Row extends pg.QueryResultRow>(
  connectionString: string,
  sql: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString, application_name: 'faults' });
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}
