import { type EntityMetadata } from 'typeorm';

/** MariaDB and MySQL want such an index for a numbered column. On SQLite the last number is looked up by it. */
export const seqIndex = 'uq_shipping_order_event_seq';

/** PostgreSQL needs none. */
export function dropSeqIndex(metadata: EntityMetadata): void {
  metadata.indices = metadata.indices.filter(({ name }) => name !== seqIndex);
  metadata.ownIndices = metadata.ownIndices.filter(({ name }) => name !== seqIndex);
}
