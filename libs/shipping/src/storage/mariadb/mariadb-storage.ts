import { type DataSource } from 'typeorm';
import { onePerDataSource } from '../one-per-data-source.js';
import { RowStorage } from '../rows/row-storage.js';
import { type StorageSettings } from '../shipping-storage.js';
import { dialectOf, MariadbScripts } from './mariadb.js';

const scriptsOf = onePerDataSource((dataSource) => new MariadbScripts(dataSource));

export function mariadbStorage(dataSource: DataSource, settings: StorageSettings): RowStorage {
  return new RowStorage(dataSource, scriptsOf(dataSource), dialectOf(dataSource), settings, checkSession);
}

/** What the variables of a session must not be, and why. */
const refused = {
  "Variable_name IN ('character_set_client', 'character_set_connection', 'character_set_results') AND Value <> 'utf8mb4'":
    "which cannot carry every text. Give the DataSource charset: 'utf8mb4'.",
  "Variable_name LIKE 't%isolation' AND Value = 'READ-UNCOMMITTED'":
    'which shows changes that are rolled back later. Set READ COMMITTED or a stricter level.',
  "Variable_name = 'autocommit' AND Value = 'OFF'":
    'so that a read would never see later changes. Set it to ON.',
};

async function checkSession(dataSource: DataSource): Promise<void> {
  for (const [condition, remedy] of Object.entries(refused)) {
    const [found] = await dataSource.query<{ Variable_name: string; Value: string }[]>(
      `SHOW VARIABLES WHERE ${condition}`,
    );
    if (found)
      throw new Error(
        `The connection of the DataSource has ${found.Variable_name} = ${found.Value}, ${remedy}`,
      );
  }
}
