import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type DataSource, type EntityMetadata } from 'typeorm';
import { Database } from '../database/database.js';
import { dialectOf } from '../database/dialects/dialects.js';
import { toShippingError } from '../database/driver-errors.js';
import { renamingRemedy } from '../database/shipping-table.decorator.js';
import { otherNestTypeOrmError, refuseOtherTypeOrm } from './copies.js';
import { shippingEntities } from './shipping-entities.js';

/** Looks for our entities and tables at boot. */
@Injectable()
export class SchemaCheck implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Optional() @Inject(HttpAdapterHost) private readonly server?: HttpAdapterHost,
  ) {}

  /**
   * Runs the checks that need no connection.
   * @throws Error that names the remedy, when TypeORM is a second copy, or the DataSource lacks our entities
   */
  onModuleInit(): void {
    const { dataSource } = this.database;
    refuseOtherTypeOrm(dataSource);
    if (dataSource.isInitialized) refuseMissingEntities(dataSource);
  }

  /**
   * Checks the tables after the application has bootstrapped. Until then, a host may migrate or synchronize.
   * @throws Error that names what the database lacks, and the remedy; DatabaseUnavailableError
   */
  async onApplicationBootstrap(): Promise<void> {
    const { dataSource } = this.database;
    // With `manualInitialization`, the host initializes and migrates later.
    if (!dataSource.isInitialized) return;
    // The host may have initialized it since `onModuleInit()`.
    refuseMissingEntities(dataSource);
    const error = await this.schemaError().catch((cause: unknown) => {
      throw toShippingError(cause, { mayHaveCommitted: false });
    });
    if (!error) return;
    // An application context without HTTP may be the host's own script that migrates.
    if (this.server?.httpAdapter) throw error;
    new Logger('ShippingModule').warn(error.message);
  }

  private async schemaError(): Promise<Error | undefined> {
    const { dataSource } = this.database;
    const tablePaths = shippingEntities.map((entity) => dataSource.getMetadata(entity).tablePath);
    await dialectOf(dataSource).checkDatabase?.(dataSource, tablePaths);
    const runner = dataSource.createQueryRunner('master');
    const missing: string[] = [];
    try {
      for (const entity of shippingEntities) {
        const metadata = dataSource.getMetadata(entity);
        const table = await runner.getTable(metadata.tablePath);
        const names = metadata.ownColumns.map(({ databaseName }) => databaseName);
        const lacking = names.filter((name) => !table?.findColumnByName(name));
        if (!table) missing.push(metadata.tablePath);
        // If the table is one of the host, our migrations fail. So this error wins over missing tables.
        else if (lacking.length > 0) return missingColumnsError(metadata, lacking);
      }
    } finally {
      await runner.release();
    }
    return missing.length > 0 ? missingTablesError(missing) : undefined;
  }
}

/** @throws Error that names the remedy */
function refuseMissingEntities(dataSource: DataSource): void {
  const missing = shippingEntities.filter((entity) => !dataSource.hasMetadata(entity));
  if (missing.length === 0) return;
  const otherCopy = otherNestTypeOrmError();
  if (otherCopy) throw otherCopy;
  const names = missing.map(({ name }) => name);
  const namesake = dataSource.entityMetadatas.find(({ name }) => names.includes(name));
  throw new Error(
    `The DataSource does not know ${names.join(', ')}. Set autoLoadEntities: true in TypeOrmModule.forRoot(), or add ` +
      `them: entities: [...shippingEntities] from 'nestjs-shipping'.` +
      (namesake ? ` Your own entity ${namesake.name} is another class.` : ''),
  );
}

function missingTablesError(tablePaths: readonly string[]): Error {
  return new Error(
    `The database has no table ${tablePaths.join(', ')}, or its user has no right on it. Add the migrations of ` +
      `nestjs-shipping to the DataSource, or run them before the application starts:\n` +
      `  import { shippingMigrations } from 'nestjs-shipping/migrations';\n` +
      `  TypeOrmModule.forRoot({ …, migrations: shippingMigrations, migrationsRun: true })\n` +
      'If the migrations have run already, compare the rights of the user with docs/dba.md, and the schema and the database ' +
      'with those of the migrations. If somebody has dropped the table, restore it from a backup.',
  );
}

function missingColumnsError(metadata: EntityMetadata, lacking: readonly string[]): Error {
  return new Error(
    `The database has a table ${metadata.tablePath} without the columns ${lacking.join(', ')}. If an older version of ` +
      `nestjs-shipping made it, run shippingMigrations. Is it a table of yours? ${renamingRemedy(metadata)}`,
  );
}
