import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';
import { json, time } from './host.js';

/** The table as a team maps it by hand, with its whole key. */
@Entity('shipping_method')
export class ShippingMethod {
  @PrimaryColumn()
  project_id!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column()
  carrier_code!: string;

  @Column({ type: 'varchar', nullable: true })
  carrier_label!: string | null;

  @Column()
  method_code!: string;

  @Column()
  method_label!: string;

  @Column({ default: true })
  is_active!: boolean;

  @Column('integer', { default: 0 })
  sort_order!: number;

  @Column(json, { default: {} })
  meta!: Record<string, unknown>;

  @Column('text', { default: '' })
  use_default!: string;

  @VersionColumn()
  version!: number;

  @CreateDateColumn({ type: time })
  created_at!: Date;

  @UpdateDateColumn({ type: time })
  updated_at!: Date;
}
