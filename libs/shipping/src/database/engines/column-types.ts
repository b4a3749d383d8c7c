import { type ColumnType, type DataSource, type EntityMetadata } from 'typeorm';
import { type EngineName, engineOf, isMariadbServer } from './engine.js';

const postgresTypes = new Map<ColumnType, ColumnType>([
  [Boolean, 'boolean'],
  [Date, 'timestamptz'],
  ['simple-json', 'jsonb'],
]);

/** MariaDB and MySQL want such an index for a numbered column. On SQLite the last number is looked up by it. */
export const seqIndex = 'uq_shipping_order_event_seq';

/** The names of our own constraints and indexes. A host may add others to our entities. */
const ourName = /^(pk|uq|ix|ck)_shipping_/;

function fitPostgres(metadata: EntityMetadata): void {
  for (const column of metadata.ownColumns) column.type = postgresTypes.get(column.type) ?? column.type;
  metadata.indices = metadata.indices.filter(({ name }) => name !== seqIndex);
  metadata.ownIndices = metadata.ownIndices.filter(({ name }) => name !== seqIndex);
}

function fitMysql(metadata: EntityMetadata, dataSource: DataSource): void {
  const isMariadb = isMariadbServer(dataSource);
  // By code point, and a trailing blank counts.
  const collation = isMariadb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  for (const column of metadata.ownColumns) {
    const isText = column.collation !== undefined || column.type === 'simple-json';
    if (isText) Object.assign(column, { charset: 'utf8mb4', collation });
    if (column.type === Date) column.type = 'datetime';
    if (column.type === 'uuid')
      Object.assign(column, { type: 'char', length: '36', charset: 'ascii', collation: 'ascii_bin' });
    if (String(column.generationStrategy) === 'identity') column.generationStrategy = 'increment';
    // MariaDB says that the default of such a column is NULL. TypeORM knows this for the type `mariadb` only.
    if (column.isNullable && isMariadb && dataSource.options.type === 'mysql') column.default = () => 'NULL';
  }
  // Null is never a duplicate of null here. The checks are written for PostgreSQL.
  for (const index of metadata.ownIndices) index.where = undefined;
  metadata.checks = [];
}

function fitSqlite(metadata: EntityMetadata): void {
  for (const column of metadata.ownColumns) {
    // By default a column compares bytes, which is by code point.
    column.collation = undefined;
    if (column.type === Date) Object.assign(column, { type: 'datetime', precision: undefined });
    if (column.type === 'uuid') Object.assign(column, { type: 'varchar', length: '36' });
    // Only a key of one column is numbered by itself.
    if (String(column.generationStrategy) === 'identity') {
      Object.assign(column, { isGenerated: false, generationStrategy: undefined });
      metadata.generatedColumns = metadata.generatedColumns.filter((each) => each !== column);
    }
  }
  metadata.checks = metadata.checks.filter(({ expression }) => !expression.includes('jsonb'));
}

const fits: Record<EngineName, (metadata: EntityMetadata, dataSource: DataSource) => void> = {
  postgres: fitPostgres,
  mariadb: fitMysql,
  mysql: fitMysql,
  'better-sqlite3': fitSqlite,
};

/**
 * Gives our columns the types of the engine of each DataSource. The decorators on the columns name types that every driver
 * of TypeORM knows, so that a DataSource of an engine that we do not know fails with our error.
 *
 * TypeORM calls `useDataSource` after it has checked the metadata and before it uses them. It calls it on classes that have
 * the static methods `hasId` and `save` of its `BaseEntity`.
 */
export const ColumnTypesByUseDataSource: ClassDecorator = (entity) => {
  Object.defineProperties(entity, {
    hasId: { value: () => false },
    save: { value: () => undefined },
    useDataSource: {
      value(this: typeof entity, dataSource: DataSource) {
        // `this` may be a subclass that the host made an entity.
        const metadata = dataSource.getMetadata(this);
        refuseSharedTable(metadata, dataSource);
        fits[engineOf(dataSource)](metadata, dataSource);
        addPrefix(metadata, dataSource.options.entityPrefix ?? '');
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

/** On PostgreSQL and SQLite, the name of an index is unique in its schema, not only in its table. */
function addPrefix({ ownColumns, uniques, indices, checks }: EntityMetadata, prefix: string): void {
  const prefixed = (name?: string): string | undefined => name?.replace(ourName, `${prefix}$&`);
  for (const column of ownColumns)
    column.primaryKeyConstraintName = prefixed(column.primaryKeyConstraintName);
  for (const named of [...uniques, ...indices, ...checks]) named.name = prefixed(named.name) ?? named.name;
}

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
