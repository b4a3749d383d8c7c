import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PostgresTypes } from '../storage/column-types.js';

/**
 * One row a project, made with its first method and never removed. Each write of a method updates it in the
 * same statement, which orders the writers of a project and keeps its counts true.
 */
@PostgresTypes
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
   * A new random value with each write. A restore brings a revision back with the content that it had, and the next
   * write gives it a value that nobody has seen, whatever the clock says.
   */
  @Column({ name: 'revision', type: 'uuid' })
  revision!: string;

  /** How many methods there are: the total of an unfiltered list. */
  @Column({ name: 'methods', type: 'integer' })
  methods!: number;

  /** How many of them have `use_default`: with none, no read has to look into the defaults project. */
  @Column({ name: 'followers', type: 'integer' })
  followers!: number;
}
