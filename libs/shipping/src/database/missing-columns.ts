import { type DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';

/** @returns the names of the columns that the table of an entity lacks; undefined when there is no such table */
export async function missingColumns(
  dataSource: DataSource,
  entity: EntityTarget<ObjectLiteral>,
): Promise<string[] | undefined> {
  const { tablePath, ownColumns } = dataSource.getMetadata(entity);
  const runner = dataSource.createQueryRunner('master');
  try {
    if (!(await runner.hasTable(tablePath))) return undefined;
    const missing: string[] = [];
    for (const { databaseName } of ownColumns)
      if (!(await runner.hasColumn(tablePath, databaseName))) missing.push(databaseName);
    return missing;
  } finally {
    await runner.release();
  }
}
