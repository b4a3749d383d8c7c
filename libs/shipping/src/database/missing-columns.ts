import { type DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';

/** @returns the names of the columns that the table of an entity lacks; undefined when there is no such table */
export async function missingColumns(
  dataSource: DataSource,
  entity: EntityTarget<ObjectLiteral>,
): Promise<string[] | undefined> {
  const { tablePath, ownColumns } = dataSource.getMetadata(entity);
  const runner = dataSource.createQueryRunner('master');
  try {
    const table = await runner.getTable(tablePath);
    const names = ownColumns.map(({ databaseName }) => databaseName);
    return table && names.filter((name) => !table.findColumnByName(name));
  } finally {
    await runner.release();
  }
}
