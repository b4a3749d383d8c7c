import { type DataSource } from 'typeorm';
import { onePerDataSource } from '../one-per-data-source.js';
import { RowStorage } from '../rows/row-storage.js';
import { type StorageSettings } from '../shipping-storage.js';
import { dialectOf, MariadbScripts } from './mariadb.js';

const scriptsOf = onePerDataSource((dataSource) => new MariadbScripts(dataSource));

export function mariadbStorage(dataSource: DataSource, settings: StorageSettings): RowStorage {
  return new RowStorage(dataSource, scriptsOf(dataSource), dialectOf(dataSource), settings, checkCharset);
}

async function checkCharset(dataSource: DataSource): Promise<void> {
  const [found] = await dataSource.query<Record<'client' | 'connection' | 'results', string>[]>(
    'SELECT @@character_set_client AS client, @@character_set_connection AS connection, @@character_set_results AS results',
  );
  const wrong = Object.values(found ?? {}).find((charset) => charset !== 'utf8mb4');
  if (wrong === undefined) return;
  throw new Error(
    `The connection of the DataSource has the character set ${wrong}, which cannot carry every text. Give the ` +
      `DataSource charset: 'utf8mb4'.`,
  );
}
