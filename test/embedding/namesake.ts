import { Entity, PrimaryColumn } from 'typeorm';

/** Returns an entity that has the name of ours. By default, TypeORM also gives it the name of our table. */
export function namesake(table?: string): new () => object {
  @Entity(table)
  class ShippingMethod {
    @PrimaryColumn({ name: 'id', type: 'integer' })
    id!: number;
  }
  return ShippingMethod;
}
