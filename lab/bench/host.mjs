// The application that a program of this folder runs in its own process.
import 'reflect-metadata';
import { createRequire } from 'node:module';

// In this folder, npm has installed the packages of the rivals. So these packages come from the workspace.
export const require = createRequire(new URL('../../package.json', import.meta.url));
const { TypeOrmModule } = require('@nestjs/typeorm');
const { shippingEntities, ShippingModule } = require('nestjs-shipping');
const { shippingMigrations } = require('nestjs-shipping/migrations');

/** @param database the options of the DataSource, at least its type and url */
export function hostOn(database, shipping = { http: false }) {
  const schema = { entities: shippingEntities, migrations: shippingMigrations, migrationsRun: true };
  return {
    module: class {},
    imports: [TypeOrmModule.forRoot({ ...schema, ...database }), ShippingModule.forRoot(shipping)],
  };
}
