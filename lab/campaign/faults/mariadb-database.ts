import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { type Target } from '../../../test/support/proxy.js';
import { newDatabase, type ServerDatabase, urlAt } from './server-database.js';

const sessions = {
  idle: "command = 'Sleep'",
  waiting: "state LIKE 'Waiting for table%'",
  one: 'true ORDER BY rand() LIMIT 1',
};

export class MariadbDatabase implements ServerDatabase {
  private constructor(
    readonly url: string,
    private readonly server: string,
    private readonly name: string,
  ) {}

  static async create(server: string): Promise<MariadbDatabase> {
    const { name, url } = newDatabase(server);
    const database = new MariadbDatabase(url, server, name);
    await database.outside((connection) => connection.query(`CREATE DATABASE ${name}`));
    return database;
  }

  get target(): Target {
    const { hostname, port } = new URL(this.url);
    return { host: hostname, port: Number(port || 3306) };
  }

  urlAt(port: number): string {
    return urlAt(this.url, port);
  }

  query<Row extends object>(sql: string): Promise<Row[]> {
    return this.outside(async (connection) => {
      await connection.query(`USE ${this.name}`);
      return rowsOf(connection, sql);
    });
  }

  async lockTables(...names: string[]): Promise<() => Promise<void>> {
    const connection = await createConnection(this.server);
    const locks = names.map((name) => `${this.name}.${name} WRITE`);
    await connection.query(`LOCK TABLES ${locks.join(', ')}`);
    return () => connection.end();
  }

  async waiting(): Promise<number> {
    return (await this.hostSessions('waiting')).length;
  }

  async terminate(which: keyof typeof sessions): Promise<number> {
    const found = await this.hostSessions(which);
    return this.outside(async (connection) => {
      let ended = 0;
      // One that has ended by itself meanwhile cannot be killed.
      for (const { id } of found) await connection.query(`KILL ${id}`).then(() => ended++, Number);
      return ended;
    });
  }

  async drop(): Promise<void> {
    await this.outside((connection) => connection.query(`DROP DATABASE ${this.name}`));
  }

  /** The sessions of a host have this database as their default, those of the test have none. */
  private hostSessions(which: keyof typeof sessions): Promise<{ id: number }[]> {
    return this.outside((connection) =>
      rowsOf(
        connection,
        `SELECT id FROM information_schema.processlist WHERE db = '${this.name}' AND ${sessions[which]}`,
      ),
    );
  }

  private async outside<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await createConnection(this.server);
    try {
      return await work(connection);
    } finally {
      await connection.end();
    }
  }
}

async function rowsOf<Row extends object>(connection: Connection, sql: string): Promise<Row[]> {
  const [rows] = await connection.query<RowDataPacket[]>(sql);
  return rows as Row[];
}
