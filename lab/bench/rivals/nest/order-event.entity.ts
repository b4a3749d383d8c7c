import { Column, Entity, PrimaryColumn } from 'typeorm';
import { json, time } from './host.js';

@Entity('shipping_order_event')
export class OrderEvent {
  @PrimaryColumn('uuid')
  id!: string;

  @Column()
  project_id!: string;

  @Column()
  order_id!: string;

  @Column()
  type!: string;

  @Column({ type: 'varchar', nullable: true })
  message!: string | null;

  @Column(json)
  data!: Record<string, unknown>;

  @Column(json, { nullable: true })
  actor!: Record<string, unknown> | null;

  @Column(time)
  occurred_at!: Date;

  @Column('bigint', { select: false })
  seq!: string;

  @Column(time)
  recorded_at!: Date;
}
