import { type ColumnType, type EntityMetadata } from 'typeorm';
import { dropSeqIndex } from '../seq-index.js';

const types = new Map<ColumnType, ColumnType>([
  [Boolean, 'boolean'],
  [Date, 'timestamptz'],
  ['simple-json', 'jsonb'],
]);

export function fitPostgres(metadata: EntityMetadata): void {
  for (const column of metadata.ownColumns) column.type = types.get(column.type) ?? column.type;
  dropSeqIndex(metadata);
}
