import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PostgresTypes } from './postgres-types.js';

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
   * Grows with each write. It starts at, and never falls behind, the clock in microseconds: after a restore
   * from a backup no revision comes back with another content.
   */
  @Column({ name: 'revision', type: 'bigint' })
  revision!: string;

  /** How many methods there are: the total of an unfiltered list. */
  @Column({ name: 'methods', type: 'integer' })
  methods!: number;

  /** How many of them have `use_default`: with none, no read has to look into the defaults project. */
  @Column({ name: 'followers', type: 'integer' })
  followers!: number;
}
