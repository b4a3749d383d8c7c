import { type DataSource, type EntityMetadata } from 'typeorm';
import { dialectOf } from './dialects/dialects.js';
import { observeTransactions } from './transaction.subscriber.js';

/** The names of our own constraints and indexes. A host may add others to our entities. */
const ourName = /^(pk|uq|ix|ck)_shipping_/;

/**
 * Gives the columns and indexes of an entity the form that the engine of each DataSource has, and observes the
 * transactions of the DataSource. The decorators of the columns name only types that every driver of TypeORM accepts.
 * So a DataSource of another engine fails with our error, not with one about a type.
 *
 * TypeORM has no hook between the check of the metadata and their use. But it treats a class with the static methods
 * `hasId`, `save` and `useDataSource` as a `BaseEntity`, and calls its `useDataSource` at this moment (decision 2).
 */
export const ShippingTable: ClassDecorator = (entity) => {
  Object.defineProperties(entity, {
    hasId: { value: () => false },
    save: { value: () => undefined },
    useDataSource: {
      // `this` may be a subclass that the host made an entity.
      value(this: () => unknown, dataSource: DataSource) {
        const metadata = dataSource.getMetadata(this);
        refuseSharedTable(metadata, dataSource);
        dialectOf(dataSource).adaptEntity(metadata, dataSource);
        addPrefix(metadata, dataSource.options.entityPrefix ?? '');
        adaptReferences(metadata, dataSource);
        // TypeORM makes a new list of subscribers each time that it initializes the DataSource.
        observeTransactions(dataSource);
      },
    },
  });
};

/** TypeORM has copied the types of our columns to the foreign-key columns of the host. They get the new types. */
function adaptReferences({ ownColumns }: EntityMetadata, { entityMetadatas }: DataSource): void {
  for (const column of entityMetadatas.flatMap(({ columns }) => columns)) {
    const { referencedColumn } = column;
    if (!referencedColumn || !ownColumns.includes(referencedColumn)) continue;
    const { type, length, charset, collation, precision } = referencedColumn;
    Object.assign(column, { type, length, charset, collation, precision });
  }
}

/** On PostgreSQL and SQLite, the name of an index is unique in its schema, not only in its table. */
function addPrefix({ ownColumns, uniques, indices, checks }: EntityMetadata, prefix: string): void {
  const prefixed = (name?: string): string | undefined => name?.replace(ourName, `${prefix}$&`);
  for (const column of ownColumns)
    column.primaryKeyConstraintName = prefixed(column.primaryKeyConstraintName);
  for (const named of [...uniques, ...indices, ...checks]) named.name = prefixed(named.name) ?? named.name;
}

/**
 * If the host has a table with the same name as ours, such as Vendure's `shipping_method`, synchronizing would change
 * the host's table into ours.
 * @throws Error that names the remedy
 */
function refuseSharedTable(ours: EntityMetadata, { entityMetadatas }: DataSource): void {
  const { tablePath } = ours;
  const isOther = ({ columns }: EntityMetadata): boolean =>
    columns.every(({ databaseName }) => databaseName !== 'project_id');
  if (isOther(ours))
    throw new Error(
      'The namingStrategy of the DataSource renames our columns, such as project_id. It may rename our tables, but not ' +
        'their columns.',
    );
  const other = entityMetadatas.find((each) => each.tablePath === tablePath && isOther(each));
  if (!other) return;
  // A namingStrategy gets these two names, and nothing else.
  const isSame = other.name === ours.name && other.givenTableName === ours.givenTableName;
  throw new Error(
    `Your entity ${other.name} also has the table ${tablePath}. ` +
      (isSame ? `Rename your class, because it has the name of ours. ` : '') +
      renamingRemedy(ours),
  );
}

/** Returns the end of an error about a table of the host that has the name of ours. */
export function renamingRemedy({ name, givenTableName }: EntityMetadata): string {
  return (
    `Give the DataSource a namingStrategy whose tableName('${name}', '${givenTableName}') returns another name. Or give ` +
    'ShippingModule a DataSource of its own with another schema, database or entityPrefix.'
  );
}
