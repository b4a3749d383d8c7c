import { ShippingMethod } from 'nestjs-shipping';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';

const foreignKeyConstraintName = 'fk_shop_order_method';

/** The host's own row of an order. Its columns that refer to a method get the types of ours. */
@Entity({ name: 'shop_order' })
export class ShopOrder {
  @PrimaryColumn({ name: 'project_id', type: 'varchar', length: 64 })
  projectId!: string;

  @PrimaryColumn({ name: 'number', type: 'varchar', length: 64 })
  number!: string;

  @Column({ name: 'method_id', type: 'uuid' })
  methodId!: string;

  @ManyToOne(() => ShippingMethod)
  @JoinColumn([
    { name: 'project_id', referencedColumnName: 'projectId', foreignKeyConstraintName },
    { name: 'method_id', referencedColumnName: 'id', foreignKeyConstraintName },
  ])
  method!: Relation<ShippingMethod>;
}
