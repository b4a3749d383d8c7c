import { Inject, type OnApplicationBootstrap } from '@nestjs/common';
import { type EntityMetadata } from 'typeorm';
import { Database, forMany } from './database/database.js';
import { isColumnMissing, isTableMissing } from './database/database.errors.js';
import { shippingEntities } from './shipping.entities.js';

/** Looks at the encoding and for our tables when the application has bootstrapped: until then a host may migrate or synchronize. */
export class ShippingTables implements OnApplicationBootstrap {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** @throws Error that names the encoding, or the tables or columns that are not there, and the remedy; DatabaseUnavailableError */
  async onApplicationBootstrap(): Promise<void> {
    const { dataSource } = this.database;
    // `manualInitialization`: the host will migrate when it initialises.
    if (!dataSource.isInitialized) return;
    await this.checkEncoding();
    const missing: string[] = [];
    for (const entity of shippingEntities.map((each) => dataSource.getMetadata(each))) {
      if (!(await this.hasTable(entity))) missing.push(entity.tablePath);
    }
    if (missing.length === 0) return;
    throw new Error(
      `The database has no table ${missing.join(', ')}. Add the migrations of nestjs-shipping to the DataSource, or ` +
        `run them before the application starts:\n` +
        `  import { shippingMigrations } from 'nestjs-shipping/migrations';\n` +
        `  TypeOrmModule.forRoot({ …, migrations: shippingMigrations, migrationsRun: true })`,
    );
  }

  private async checkEncoding(): Promise<void> {
    const [{ encoding = '' } = {}] = await this.database.read<{ encoding?: string }>(
      `SELECT current_setting('server_encoding') AS encoding`,
      [],
      forMany,
      true,
    );
    if (encoding === 'UTF8') return;
    throw new Error(
      `The database has the encoding ${encoding}. nestjs-shipping needs one with UTF8:\n` +
        `  CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  }

  /** @throws Error when the table lacks columns */
  private async hasTable(entity: EntityMetadata): Promise<boolean> {
    const columns = entity.ownColumns.map(({ databaseName }) => databaseName);
    try {
      await this.select(entity, columns);
      return true;
    } catch (error) {
      if (isTableMissing(error)) return false;
      if (!isColumnMissing(error)) throw error;
    }
    const absent: string[] = [];
    for (const column of columns) {
      await this.select(entity, [column]).catch((error: unknown) => {
        if (!isColumnMissing(error)) throw error;
        absent.push(column);
      });
    }
    throw new Error(
      `The database has a table ${entity.tablePath} without the columns ${absent.join(', ')}. If an older version ` +
        `of nestjs-shipping made it, run shippingMigrations. If it is a table of yours, give the module a DataSource ` +
        `with another schema or entityPrefix.`,
    );
  }

  private async select({ target }: EntityMetadata, columns: readonly string[]): Promise<void> {
    const { driver } = this.database.dataSource;
    const list = columns.map((column) => driver.escape(column)).join(', ');
    await this.database.read(
      `SELECT ${list} FROM ${this.database.table(target)} WHERE 1 = 0`,
      [],
      forMany,
      true,
    );
  }
}
