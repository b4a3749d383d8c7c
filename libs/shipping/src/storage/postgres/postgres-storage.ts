import { type DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { ShippingStorage, type StorageSettings } from '../shipping-storage.js';
import { SqlEvents } from '../sql-events.js';
import { PostgresMethods } from './postgres-methods.js';
import { Postgres } from './postgres.js';
import { dialect } from './sql.js';

export class PostgresStorage extends ShippingStorage {
  readonly methods: PostgresMethods;
  readonly events: SqlEvents;
  private readonly postgres: Postgres;

  constructor(dataSource: DataSource, settings: StorageSettings) {
    super();
    this.postgres = new Postgres(dataSource);
    this.methods = new PostgresMethods(this.postgres, settings);
    this.events = new SqlEvents(this.postgres, dialect);
  }

  async columnsOf(entities: readonly EntityTarget<ObjectLiteral>[]): Promise<string[][]> {
    const [found] = await this.postgres.send<{ encoding: string; columns: string }>('alone', {
      sql: `SELECT current_setting('server_encoding') AS encoding, json_agg(
         ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(k.name) AND NOT attisdropped)
         ORDER BY k.place)::text AS columns
       FROM unnest($1::text[]) WITH ORDINALITY AS k(name, place)`,
      values: [entities.map((entity) => this.postgres.table(entity))],
      isOneOff: true,
    });
    if (found?.encoding === 'UTF8') return JSON.parse(found.columns) as string[][];
    throw new Error(
      `The database has the encoding ${found?.encoding}. nestjs-shipping needs one with UTF8:\n` +
        `  CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  }
}
