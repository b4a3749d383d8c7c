import { type DataSource } from 'typeorm';
import { onePerDataSource } from '../one-per-data-source.js';
import { RowStorage } from '../rows/row-storage.js';
import { type StorageSettings } from '../shipping-storage.js';
import { dialect, SqliteScripts } from './sqlite.js';

const scriptsOf = onePerDataSource((dataSource) => new SqliteScripts(dataSource));

export function sqliteStorage(dataSource: DataSource, settings: StorageSettings): RowStorage {
  return new RowStorage(dataSource, scriptsOf(dataSource), dialect, settings);
}
