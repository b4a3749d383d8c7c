import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ShippingTable } from '../database/shipping-table.decorator.js';

/**
 * One row for each project whose methods were changed. The first change of a project inserts its row. On MariaDB and
 * MySQL, a change that is refused in a transaction inserts it, too. The row stays when the methods are removed. Each
 * change of a method updates this row first, and so locks it: the writers of a project wait for each other here.
 */
@ShippingTable
@Entity({ name: 'shipping_project' })
export class ShippingProject {
  @PrimaryColumn({
    name: 'project_id',
    type: 'varchar',
    length: 64,
    collation: 'C',
    primaryKeyConstraintName: 'pk_shipping_project',
  })
  projectId!: string;

  /**
   * A new random value with each write. A restore brings back an old revision with its content. The next write then
   * makes a value that was never used.
   */
  @Column({ name: 'revision', type: 'uuid' })
  revision!: string;
}
