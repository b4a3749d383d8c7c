import { type ColumnType, type DataSource, type EntityMetadata } from 'typeorm';
import { type EngineName, engineOf, isMariadbServer } from './engine.js';

const postgresTypes = new Map<ColumnType, ColumnType>([
  [Boolean, 'boolean'],
  [Date, 'timestamptz'],
  ['simple-json', 'jsonb'],
]);

/** MariaDB and MySQL need an index on a numbered column. On SQLite, `insertEvent` finds the last number by this index. */
export const seqIndex = 'uq_shipping_order_event_seq';

/** The names of our own constraints and indexes. A host may add others to our entities. */
const ourName = /^(pk|uq|ix|ck)_shipping_/;

/** PostgreSQL cuts names after 63 bytes. The longest of ours has 34. */
const maxPrefixBytes = 29;

function adaptToPostgres(metadata: EntityMetadata): void {
  for (const column of metadata.ownColumns) column.type = postgresTypes.get(column.type) ?? column.type;
  metadata.indices = metadata.indices.filter(({ name }) => name !== seqIndex);
  metadata.ownIndices = metadata.ownIndices.filter(({ name }) => name !== seqIndex);
}

function adaptToMysql(metadata: EntityMetadata, dataSource: DataSource): void {
  const isMariadb = isMariadbServer(dataSource);
  // This collation compares by code point, and a trailing blank counts.
  const collation = isMariadb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  for (const column of metadata.ownColumns) {
    const isText = column.collation !== undefined || column.type === 'simple-json';
    if (isText) Object.assign(column, { charset: 'utf8mb4', collation });
    if (column.type === Date) column.type = 'datetime';
    if (column.type === 'uuid')
      Object.assign(column, { type: 'char', length: '36', charset: 'ascii', collation: 'ascii_bin' });
    if (String(column.generationStrategy) === 'identity') column.generationStrategy = 'increment';
    // MariaDB reports the default NULL for a column that may be null. TypeORM expects this for the type `mariadb` only.
    if (column.isNullable && isMariadb && dataSource.options.type === 'mysql') column.default = () => 'NULL';
  }
  // These engines have no condition on an index, and need none: null is never a duplicate of null.
  for (const index of metadata.ownIndices) index.where = undefined;
  // The conditions of our checks are written for PostgreSQL.
  metadata.checks = [];
}

function adaptToSqlite(metadata: EntityMetadata): void {
  for (const column of metadata.ownColumns) {
    // By default a column compares bytes, which is the order of code points.
    column.collation = undefined;
    if (column.type === Date) Object.assign(column, { type: 'datetime', precision: undefined });
    if (column.type === 'uuid') Object.assign(column, { type: 'varchar', length: '36' });
    // SQLite numbers a primary key only if it has one column. `insertEvent` numbers ours.
    if (String(column.generationStrategy) === 'identity') {
      Object.assign(column, { isGenerated: false, generationStrategy: undefined });
      metadata.generatedColumns = metadata.generatedColumns.filter((each) => each !== column);
    }
  }
  metadata.checks = metadata.checks.filter(({ expression }) => !expression.includes('jsonb'));
}

const adapters: Record<EngineName, (metadata: EntityMetadata, dataSource: DataSource) => void> = {
  postgres: adaptToPostgres,
  mariadb: adaptToMysql,
  mysql: adaptToMysql,
  'better-sqlite3': adaptToSqlite,
};

/**
 * Gives our columns the types of the engine of each DataSource. The decorators on the columns name types that every driver
 * of TypeORM knows, so that a DataSource of an engine that we do not know fails with our error.
 *
 * TypeORM takes a class with the static methods `hasId`, `save` and `useDataSource` for a `BaseEntity`, and calls
 * `useDataSource` when the DataSource initializes: after it has checked the metadata, and before it uses them.
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
        adapters[engineOf(dataSource)](metadata, dataSource);
        addPrefix(metadata, dataSource.options.entityPrefix ?? '');
        // TypeORM has copied the type of our column to a foreign-key column of the host. That column gets the new type.
        for (const column of dataSource.entityMetadatas.flatMap(({ columns }) => columns)) {
          const { referencedColumn } = column;
          if (!referencedColumn || !metadata.ownColumns.includes(referencedColumn)) continue;
          const { type, length, charset, collation, precision } = referencedColumn;
          Object.assign(column, { type, length, charset, collation, precision });
        }
      },
    },
  });
};

/**
 * On PostgreSQL and SQLite, the name of an index is unique in its schema, not only in its table.
 * @throws Error when the names would be too long
 */
function addPrefix({ ownColumns, uniques, indices, checks }: EntityMetadata, prefix: string): void {
  if (Buffer.byteLength(prefix) > maxPrefixBytes)
    throw new Error(
      `The entityPrefix of the DataSource must have at most ${maxPrefixBytes} bytes for nestjs-shipping. With a ` +
        'longer one, PostgreSQL cuts the names of our keys and indexes.',
    );
  const prefixed = (name?: string): string | undefined => name?.replace(ourName, `${prefix}$&`);
  for (const column of ownColumns)
    column.primaryKeyConstraintName = prefixed(column.primaryKeyConstraintName);
  for (const named of [...uniques, ...indices, ...checks]) named.name = prefixed(named.name) ?? named.name;
}

/**
 * If the host has a table with the same name as ours, such as Vendure's `shipping_method`, synchronizing would change the
 * host's table into ours.
 * @throws Error that names the remedy
 */
function refuseSharedTable({ tablePath }: EntityMetadata, { entityMetadatas }: DataSource): void {
  const isOther = ({ columns }: EntityMetadata): boolean =>
    columns.every(({ databaseName }) => databaseName !== 'project_id');
  const other = entityMetadatas.find((each) => each.tablePath === tablePath && isOther(each));
  if (!other) return;
  throw new Error(
    `Your entity ${other.name} also has the table ${tablePath}. Give the DataSource a namingStrategy that renames ` +
      `our table, or give ShippingModule a DataSource of its own.`,
  );
}
