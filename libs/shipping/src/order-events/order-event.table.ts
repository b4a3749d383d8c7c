import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { ShippingTable } from '../database/shipping-table.decorator.js';
import { type OrderEventActor } from './dto/order-event.dto.js';

const collation = 'C';
/** The index that lets an order have each `dedupe_key` once. */
export const dedupeIndex = 'uq_shipping_order_event_dedupe_key';
const primaryKeyConstraintName = 'pk_shipping_order_event';

/**
 * A stored event of an order. `record()` adds rows, only `redactHistory()` changes them, and only removals of whole
 * histories remove them. The primary key has the order of the history.
 */
@ShippingTable
@Entity({ name: 'shipping_order_event' })
@Index(dedupeIndex, ['projectId', 'orderId', 'dedupeKey'], {
  unique: true,
  where: 'dedupe_key IS NOT NULL',
})
@Index('ix_shipping_order_event_seq', ['seq'])
export class OrderEvent {
  @PrimaryColumn({ name: 'project_id', type: 'varchar', length: 64, collation, primaryKeyConstraintName })
  projectId!: string;

  @PrimaryColumn({ name: 'order_id', type: 'varchar', length: 64, collation, primaryKeyConstraintName })
  orderId!: string;

  /** The time of the event, as the caller gives it. */
  @PrimaryColumn({ name: 'occurred_at', type: Date, precision: 3, primaryKeyConstraintName })
  occurredAt!: Date;

  /** The database numbers the events in the order of recording, because the clocks of the instances may differ. */
  @PrimaryColumn({
    name: 'seq',
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName,
  })
  seq!: string;

  /** UUIDv7. */
  @Column({ name: 'id', type: 'uuid' })
  id!: string;

  @Column({ name: 'type', type: 'varchar', length: 64, collation })
  type!: string;

  @Column({ name: 'message', type: 'varchar', length: 4000, collation, nullable: true })
  message!: string | null;

  /** A JSON object. TypeORM's own types cannot compile a recursive type here. `OrderEventDto` has `JsonObject`. */
  @Column({ name: 'data', type: 'simple-json' })
  data!: object;

  @Column({ name: 'actor', type: 'simple-json', nullable: true })
  actor!: OrderEventActor | null;

  /** The caller's key for this event, unique in its order. A second event with the same key is not stored. */
  @Column({ name: 'dedupe_key', type: 'varchar', length: 128, collation, nullable: true })
  dedupeKey!: string | null;

  /** The time at which it was stored, by the clock of the database. */
  @Column({ name: 'recorded_at', type: Date, precision: 3 })
  recordedAt!: Date;
}
