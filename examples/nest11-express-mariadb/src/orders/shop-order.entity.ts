import { ShippingMethod } from 'nestjs-shipping';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';

const foreignKeyConstraintName = 'fk_shop_order_method';

/** An order of this application. The columns that refer to a method get the same types as in `ShippingMethod`. */
@Entity({ name: 'shop_order' })
@Index('uq_shop_order_number', ['number'], { unique: true })
export class ShopOrder {
  @PrimaryColumn({ name: 'project_id', type: 'varchar', length: 64 })
  projectId!: string;

  /** The `order_id` of the events. People never see this id, so it can be made before the row is stored. */
  @PrimaryColumn({ name: 'id', type: 'varchar', length: 64 })
  id!: string;

  /** People read it as `#1001`, which is no `order_id`. */
  @Column({ name: 'number', type: 'integer', generated: 'increment' })
  number!: number;

  @Column({ name: 'method_id', type: 'uuid' })
  methodId!: string;

  @ManyToOne(() => ShippingMethod)
  @JoinColumn([
    { name: 'project_id', referencedColumnName: 'projectId', foreignKeyConstraintName },
    { name: 'method_id', referencedColumnName: 'id', foreignKeyConstraintName },
  ])
  method!: Relation<ShippingMethod>;
}
