import { type DataSource, type EntityMetadata } from 'typeorm';

/** @throws Error that names the remedy, for a server of MariaDB whose DataSource says `mysql` */
export function fitMariadb(metadata: EntityMetadata, { options, driver }: DataSource): void {
  // MySQL has no version 10. TypeORM would change each nullable column at every start.
  if (options.type === 'mysql' && parseInt(driver.version ?? '') >= 10)
    throw new Error(`The server is MariaDB: give the DataSource type: 'mariadb' in place of 'mysql'.`);
  // By code point, and a trailing blank counts.
  const collation = options.type === 'mysql' ? 'utf8mb4_0900_bin' : 'utf8mb4_nopad_bin';
  for (const column of metadata.ownColumns) {
    const isText = column.collation !== undefined || column.type === 'simple-json';
    if (isText) Object.assign(column, { charset: 'utf8mb4', collation });
    if (column.type === Date) column.type = 'datetime';
    if (column.type === 'uuid')
      Object.assign(column, { type: 'char', length: '36', charset: 'ascii', collation: 'ascii_bin' });
    if (String(column.generationStrategy) === 'identity') column.generationStrategy = 'increment';
  }
  // Null is never a duplicate of null here. The checks are written for PostgreSQL.
  for (const index of metadata.ownIndices) index.where = undefined;
  metadata.checks = [];
}
