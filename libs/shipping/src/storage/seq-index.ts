import { type EntityMetadata } from 'typeorm';

/** MariaDB and MySQL number the events, and want an index that begins with the number. */
export const seqIndex = 'uq_shipping_order_event_seq';

/** For the other engines. */
export function dropSeqIndex(metadata: EntityMetadata): void {
  metadata.indices = metadata.indices.filter(({ name }) => name !== seqIndex);
  metadata.ownIndices = metadata.ownIndices.filter(({ name }) => name !== seqIndex);
}
