import { type DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { connectionError } from '../connection-errors.js';
import { type Scripts } from '../scripts.js';
import { ShippingStorage, type StorageSettings } from '../shipping-storage.js';
import { SqlEvents } from '../sql-events.js';
import { type RowDialect } from './row-dialect.js';
import { RowMethods } from './row-methods.js';

/** An engine whose statements write one table each. */
export class RowStorage extends ShippingStorage {
  readonly methods: RowMethods;
  readonly events: SqlEvents;

  /** @param check throws Error that names the remedy, for a database that cannot hold our data */
  constructor(
    private readonly dataSource: DataSource,
    scripts: Scripts,
    dialect: RowDialect,
    settings: StorageSettings,
    private readonly check: (dataSource: DataSource) => Promise<void> = () => Promise.resolve(),
  ) {
    super();
    this.methods = new RowMethods(scripts, dialect, settings);
    this.events = new SqlEvents(scripts, dialect);
  }

  async columnsOf(entities: readonly EntityTarget<ObjectLiteral>[]): Promise<string[][]> {
    const runner = this.dataSource.createQueryRunner('master');
    try {
      await this.check(this.dataSource);
      const columns: string[][] = [];
      for (const entity of entities) {
        const table = await runner.getTable(this.dataSource.getMetadata(entity).tablePath);
        columns.push(table?.columns.map(({ name }) => name) ?? []);
      }
      return columns;
    } catch (error) {
      throw connectionError(error, false);
    } finally {
      await runner.release();
    }
  }
}
