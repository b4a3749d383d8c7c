import { Column, Entity, PrimaryColumn } from 'typeorm';

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

  @Column('jsonb')
  data!: Record<string, unknown>;

  @Column('jsonb', { nullable: true })
  actor!: Record<string, unknown> | null;

  @Column('timestamptz')
  occurred_at!: Date;

  @Column('bigint', { select: false })
  seq!: string;

  @Column('timestamptz')
  recorded_at!: Date;
}
