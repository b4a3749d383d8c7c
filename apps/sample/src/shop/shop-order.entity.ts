import { ShippingMethod } from 'nestjs-shipping';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';

const key = {
  type: 'varchar',
  length: 64,
  collation: 'C',
  primaryKeyConstraintName: 'pk_shop_order',
} as const;
const foreignKeyConstraintName = 'fk_shop_order_method';

/** An order of this application. The library refuses with `method_in_use` to remove the method of an order. */
@Entity({ name: 'shop_order' })
@Index('ix_shop_order_method', ['projectId', 'methodId'])
export class ShopOrder {
  @PrimaryColumn({ name: 'project_id', ...key })
  projectId!: string;

  @PrimaryColumn({ name: 'order_id', ...key })
  orderId!: string;

  @Column({ name: 'method_id', type: 'uuid' })
  methodId!: string;

  @ManyToOne(() => ShippingMethod)
  @JoinColumn([
    { name: 'project_id', referencedColumnName: 'projectId', foreignKeyConstraintName },
    { name: 'method_id', referencedColumnName: 'id', foreignKeyConstraintName },
  ])
  method!: Relation<ShippingMethod>;
}
