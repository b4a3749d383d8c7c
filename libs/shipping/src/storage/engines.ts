import { type DataSource } from 'typeorm';
import { type EngineName, engineOf } from './engine-name.js';
import { mariadbStorage } from './mariadb/mariadb-storage.js';
import { PostgresStorage } from './postgres/postgres-storage.js';
import { type ShippingStorage, type StorageSettings } from './shipping-storage.js';
import { sqliteStorage } from './sqlite/sqlite-storage.js';

type MakeStorage = (dataSource: DataSource, settings: StorageSettings) => ShippingStorage;

const storages: Record<EngineName, MakeStorage> = {
  postgres: (dataSource, settings) => new PostgresStorage(dataSource, settings),
  mariadb: mariadbStorage,
  mysql: mariadbStorage,
  'better-sqlite3': sqliteStorage,
};

/** @throws Error that names the remedy, for a DataSource of an engine that we do not know */
export function storageOf(dataSource: DataSource, settings: StorageSettings): ShippingStorage {
  return storages[engineOf(dataSource)](dataSource, settings);
}
