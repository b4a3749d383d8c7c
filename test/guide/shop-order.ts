import { ShippingMethod } from 'nestjs-shipping';
import {
  Column,
  Entity,
  JoinColumn,
  ManyToOne,
  type MigrationInterface,
  PrimaryColumn,
  type QueryRunner,
  type Relation,
} from 'typeorm';

@Entity({ name: 'shop_order' })
export class ShopOrder {
  @PrimaryColumn({ name: 'project_id', type: 'varchar', length: 64 })
  projectId!: string;

  @PrimaryColumn({ name: 'order_id', type: 'varchar', length: 64 })
  orderId!: string;

  @Column({ name: 'method_id', type: 'uuid' })
  methodId!: string;

  @ManyToOne(() => ShippingMethod)
  @JoinColumn([
    { name: 'project_id', referencedColumnName: 'projectId' },
    { name: 'method_id', referencedColumnName: 'id' },
  ])
  method!: Relation<ShippingMethod>;
}

export class CreateShopOrder implements MigrationInterface {
  name = 'CreateShopOrder1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE shop_order (
         project_id varchar(64) COLLATE "C", order_id varchar(64), method_id uuid NOT NULL,
         PRIMARY KEY (project_id, order_id),
         FOREIGN KEY (project_id, method_id) REFERENCES shipping_method (project_id, id))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shop_order');
  }
}
