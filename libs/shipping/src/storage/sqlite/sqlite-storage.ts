import { Logger } from '@nestjs/common';
import { type DataSource } from 'typeorm';
import { onePerDataSource } from '../one-per-data-source.js';
import { RowStorage } from '../rows/row-storage.js';
import { type StorageSettings } from '../shipping-storage.js';
import { isQueued } from './queue-transactions.js';
import { dialect, SqliteScripts } from './sqlite.js';

const scriptsOf = onePerDataSource((dataSource) => new SqliteScripts(dataSource));

export function sqliteStorage(dataSource: DataSource, settings: StorageSettings): RowStorage {
  return new RowStorage(dataSource, scriptsOf(dataSource), dialect, settings, warn);
}

function warn(dataSource: DataSource): Promise<void> {
  if (!isQueued(dataSource))
    new Logger('ShippingModule').warn(
      'On SQLite, transactions that overlap become one, and one may undo another. Call queueTransactions(dataSource).',
    );
  return Promise.resolve();
}
