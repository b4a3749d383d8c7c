import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { ShippingTable } from '../database/shipping-table.decorator.js';
import { type InheritableField } from './use-default.js';

/** Orders by code point and compares exactly, whatever the locale of the database is. */
const collation = 'C';
const primaryKeyConstraintName = 'pk_shipping_method';

/**
 * A method with its stored values. The values that a client sees may come from the defaults project (`use_default`), so
 * read through `ShippingMethodsService`. Every key begins with the project. This separates the tenants, and PostgreSQL can
 * partition the table by it.
 */
@ShippingTable
@Entity({ name: 'shipping_method' })
@Unique('uq_shipping_method_codes', ['projectId', 'carrierCode', 'methodCode'])
@Check('ck_shipping_method_codes', `carrier_code <> '' AND method_code <> ''`)
@Check('ck_shipping_method_meta', `jsonb_typeof(meta) = 'object'`)
@Check('ck_shipping_method_version', `version >= 1`)
export class ShippingMethod {
  @PrimaryColumn({ name: 'project_id', type: 'varchar', length: 64, collation, primaryKeyConstraintName })
  projectId!: string;

  /** A UUIDv7 that we make. The database needs no extension for it, and rows of the same time are stored together. */
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName })
  id!: string;

  @Column({ name: 'carrier_code', type: 'varchar', length: 64, collation })
  carrierCode!: string;

  @Column({ name: 'carrier_label', type: 'varchar', length: 255, collation, nullable: true })
  carrierLabel!: string | null;

  @Column({ name: 'method_code', type: 'varchar', length: 128, collation })
  methodCode!: string;

  @Column({ name: 'method_label', type: 'varchar', length: 255, collation })
  methodLabel!: string;

  @Column({ name: 'is_active', type: Boolean })
  isActive!: boolean;

  @Column({ name: 'sort_order', type: 'integer' })
  sortOrder!: number;

  /** A JSON object. TypeORM's own types cannot compile a recursive type here. `ShippingMethodDto` has `JsonObject`. */
  @Column({ name: 'meta', type: 'simple-json' })
  meta!: object;

  /** The fields that come from the default. The column has their names with commas between them, and no space. */
  @Column({ name: 'use_default', type: 'simple-array', collation })
  useDefault!: InheritableField[];

  /** Grows by one with each real change. */
  @Column({ name: 'version', type: 'integer' })
  version!: number;

  @Column({ name: 'created_at', type: Date, precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: Date, precision: 3 })
  updatedAt!: Date;
}
