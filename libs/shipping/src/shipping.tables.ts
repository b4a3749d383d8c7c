import { Inject, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Database, forMany } from './database/database.js';
import { shippingEntities } from './shipping.entities.js';

/** Looks for our tables when the application has bootstrapped: until then a host may migrate or synchronize. */
export class ShippingTables implements OnApplicationBootstrap {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(HttpAdapterHost) private readonly server: HttpAdapterHost,
  ) {}

  /** @throws Error that names what the database lacks, and the remedy; DatabaseUnavailableError */
  async onApplicationBootstrap(): Promise<void> {
    const { dataSource } = this.database;
    // `manualInitialization`: the host will migrate when it initialises.
    if (!dataSource.isInitialized) return;
    const [found] = await this.database.read<{ encoding: string; columns: string }>(
      `SELECT current_setting('server_encoding') AS encoding, json_agg(
         ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(k.name) AND NOT attisdropped)
         ORDER BY k.place)::text AS columns
       FROM unnest($1::text[]) WITH ORDINALITY AS k(name, place)`,
      [shippingEntities.map((entity) => this.database.table(entity))],
      forMany,
      true,
    );
    if (found?.encoding !== 'UTF8') {
      throw new Error(
        `The database has the encoding ${found?.encoding}. nestjs-shipping needs one with UTF8:\n` +
          `  CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
      );
    }
    const columns = JSON.parse(found.columns) as string[][];
    const tables = shippingEntities.map((entity, place) => {
      const { tablePath, ownColumns } = dataSource.getMetadata(entity);
      const names = ownColumns.map(({ databaseName }) => databaseName);
      const absent = names.filter((name) => !columns[place]?.includes(name));
      return { tablePath, absent, isMissing: columns[place]?.length === 0 };
    });
    const missing = tables.filter(({ isMissing }) => isMissing).map(({ tablePath }) => tablePath);
    if (missing.length > 0) {
      const message =
        `The database has no table ${missing.join(', ')}. Add the migrations of nestjs-shipping to the DataSource, or ` +
        `run them before the application starts:\n` +
        `  import { shippingMigrations } from 'nestjs-shipping/migrations';\n` +
        `  TypeOrmModule.forRoot({ …, migrations: shippingMigrations, migrationsRun: true })`;
      // Without HTTP it may be the host's own script that migrates, made with `createApplicationContext()`.
      if (this.server.httpAdapter) throw new Error(message);
      new Logger('ShippingModule').warn(message);
      return;
    }
    const changed = tables.find(({ absent }) => absent.length > 0);
    if (!changed) return;
    throw new Error(
      `The database has a table ${changed.tablePath} without the columns ${changed.absent.join(', ')}. If an older ` +
        `version of nestjs-shipping made it, run shippingMigrations. If it is a table of yours, give the module a ` +
        `DataSource with another schema or entityPrefix.`,
    );
  }
}
