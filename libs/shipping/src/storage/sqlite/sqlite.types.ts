import { type EntityMetadata } from 'typeorm';

export function fitSqlite(metadata: EntityMetadata): void {
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
