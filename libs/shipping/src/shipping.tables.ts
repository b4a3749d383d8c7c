import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { shippingEntities } from './shipping-entities.js';
import { otherNestTypeOrm, refuseOtherTypeOrm } from './one-typeorm.js';
import { connectionError } from './database/connection-errors.js';
import { Database } from './database/database.js';
import { dialectOf } from './database/dialects/dialects.js';
import { missingColumns } from './database/missing-columns.js';

/** Looks for our entities and tables at boot. */
@Injectable()
export class ShippingTables implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Optional() @Inject(HttpAdapterHost) private readonly server?: HttpAdapterHost,
  ) {}

  /**
   * Runs the checks that need no connection.
   * @throws Error that names the remedy, when TypeORM is too old or a second copy, or the DataSource lacks our entities
   */
  onModuleInit(): void {
    const { dataSource } = this.database;
    refuseOtherTypeOrm(dataSource);
    const missing = shippingEntities.filter((entity) => !dataSource.hasMetadata(entity));
    if (!dataSource.isInitialized || missing.length === 0) return;
    const otherCopy = otherNestTypeOrm();
    if (otherCopy) throw otherCopy;
    throw new Error(
      `The DataSource does not know ${missing.map(({ name }) => name).join(', ')}. Set autoLoadEntities: true ` +
        `in TypeOrmModule.forRoot(), or add them: entities: [...shippingEntities] from 'nestjs-shipping'.`,
    );
  }

  /**
   * Checks the tables after the application has bootstrapped. Until then, a host may migrate or synchronize.
   * @throws Error that names what the database lacks, and the remedy; DatabaseUnavailableError
   */
  async onApplicationBootstrap(): Promise<void> {
    const { dataSource } = this.database;
    // With `manualInitialization`, the host initializes and migrates later.
    if (!dataSource.isInitialized) return;
    this.database.observe();
    const tables = await this.checkedTables().catch((error: unknown) => {
      throw connectionError(error, false);
    });
    const missing = tables.filter((table) => !table.missingColumns).map(({ tablePath }) => tablePath);
    if (missing.length > 0) {
      // An application context without HTTP may be the host's own script that migrates.
      if (this.server?.httpAdapter) throw missingTablesError(missing);
      new Logger('ShippingModule').warn(missingTablesError(missing).message);
      return;
    }
    for (const { tablePath, missingColumns: columns = [] } of tables)
      if (columns.length > 0) throw missingColumnsError(tablePath, columns);
  }

  /** @returns our tables; `missingColumns` is undefined when the whole table is missing */
  private async checkedTables(): Promise<{ tablePath: string; missingColumns: string[] | undefined }[]> {
    const { dataSource } = this.database;
    await dialectOf(dataSource).checkDatabase(dataSource);
    const tables = [];
    for (const entity of shippingEntities) {
      const { tablePath } = dataSource.getMetadata(entity);
      tables.push({ tablePath, missingColumns: await missingColumns(dataSource, entity) });
    }
    return tables;
  }
}

function missingTablesError(tablePaths: readonly string[]): Error {
  return new Error(
    `The database has no table ${tablePaths.join(', ')}. Add the migrations of nestjs-shipping to the DataSource, or ` +
      `run them before the application starts:\n` +
      `  import { shippingMigrations } from 'nestjs-shipping/migrations';\n` +
      `  TypeOrmModule.forRoot({ …, migrations: shippingMigrations, migrationsRun: true })\n` +
      'If the migrations have run already, somebody dropped the table later. Restore it from a backup. Or delete the row ' +
      'of our migration from the migrations table, drop the shipping_ tables that are left, and run the migrations again.',
  );
}

function missingColumnsError(tablePath: string, columns: readonly string[]): Error {
  return new Error(
    `The database has a table ${tablePath} without the columns ${columns.join(', ')}. If an older version of ` +
      `nestjs-shipping made it, run shippingMigrations. If it is a table of yours, give the module a DataSource with ` +
      `another schema or entityPrefix.`,
  );
}
