import { type DataSource, type EntityMetadata } from 'typeorm';
import { type EngineName, engineOf } from './engine-name.js';
import { fitMariadb } from './mariadb/mariadb.types.js';
import { fitPostgres } from './postgres/postgres.types.js';
import { fitSqlite } from './sqlite/sqlite.types.js';
import { openTransactionsOf } from './transactions.js';

const fits: Record<EngineName, (metadata: EntityMetadata, dataSource: DataSource) => void> = {
  postgres: fitPostgres,
  mariadb: fitMariadb,
  mysql: fitMariadb,
  'better-sqlite3': fitSqlite,
};

/**
 * Gives the metadata of each DataSource the column types of its engine, and observes its transactions. The decorators
 * of the entity name types that every driver of TypeORM knows. So an engine that we do not know fails with our error,
 * not with TypeORM's.
 *
 * TypeORM calls `useDataSource` between checking the metadata and using it, on a class that also has the static
 * `hasId` and `save` of its `BaseEntity`.
 */
export const ColumnTypesOfEngine: ClassDecorator = (entity) => {
  Object.defineProperties(entity, {
    hasId: { value: () => false },
    save: { value: () => undefined },
    useDataSource: {
      value(this: typeof entity, dataSource: DataSource) {
        // `this` may be a subclass that the host made an entity.
        const metadata = dataSource.getMetadata(this);
        refuseSharedTable(metadata, dataSource);
        fits[engineOf(dataSource)](metadata, dataSource);
        openTransactionsOf(dataSource).subscribeTo(dataSource);
        // A host's column that refers to one of ours got its type before.
        for (const column of dataSource.entityMetadatas.flatMap(({ columns }) => columns)) {
          const { referencedColumn: ours } = column;
          if (!ours || !metadata.ownColumns.includes(ours)) continue;
          const { type, length, charset, collation, precision } = ours;
          Object.assign(column, { type, length, charset, collation, precision });
        }
      },
    },
  });
};

/**
 * To synchronize would change the host's table into ours, such as Vendure's `shipping_method`.
 * @throws Error that names the remedy
 */
function refuseSharedTable({ tablePath }: EntityMetadata, { entityMetadatas }: DataSource): void {
  const isOther = ({ columns }: EntityMetadata): boolean =>
    columns.every(({ databaseName }) => databaseName !== 'project_id');
  const other = entityMetadatas.find((each) => each.tablePath === tablePath && isOther(each));
  if (!other) return;
  throw new Error(
    `The entity ${other.name} of the host has the table ${tablePath}, too. Give the DataSource a namingStrategy that ` +
      `renames ours, or give ShippingModule a DataSource of its own.`,
  );
}
