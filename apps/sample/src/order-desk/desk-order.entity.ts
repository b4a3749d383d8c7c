import { ShippingMethod } from 'nestjs-shipping';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';

const primaryKeyConstraintName = 'pk_desk_order';
const foreignKeyConstraintName = 'fk_desk_order_method';

/** An order as this host keeps it. Its method cannot be deleted: that is answered with `method_in_use`. */
@Entity({ name: 'desk_order' })
@Index('ix_desk_order_method', ['projectId', 'methodId'])
export class DeskOrder {
  @PrimaryColumn({
    name: 'project_id',
    type: 'varchar',
    length: 64,
    collation: 'C',
    primaryKeyConstraintName,
  })
  projectId!: string;

  @PrimaryColumn({ name: 'order_id', type: 'varchar', length: 64, collation: 'C', primaryKeyConstraintName })
  orderId!: string;

  @Column({ name: 'method_id', type: 'uuid' })
  methodId!: string;

  @ManyToOne(() => ShippingMethod)
  @JoinColumn([
    { name: 'project_id', referencedColumnName: 'projectId', foreignKeyConstraintName },
    { name: 'method_id', referencedColumnName: 'id', foreignKeyConstraintName },
  ])
  method!: Relation<ShippingMethod>;

  @Column({ name: 'placed_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  placedAt!: Date;
}
