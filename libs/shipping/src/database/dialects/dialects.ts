import { type DataSource } from 'typeorm';
import { type Dialect } from './dialect.js';
import { mysql } from './mysql.js';
import { postgres } from './postgres.js';
import { sqlite } from './sqlite.js';

/** The engines that we support. */
export const dialects: readonly Dialect[] = [postgres, mysql, sqlite];

/** @throws Error that names the remedy, for a DataSource of another engine */
export function dialectOf({ options, subscribers }: DataSource): Dialect {
  // A test may have replaced the DataSource by something else.
  if (!options || !subscribers) {
    throw new Error(
      'ShippingModule was given something that is not a TypeORM DataSource. If your test mocks the database, use ' +
        'embeddedTypeOrmModule() from nestjs-shipping/testing instead, or replace the module that forRoot() has returned, too: ' +
        'overrideModule(shipping).useModule(fake).',
    );
  }
  const dialect = dialects.find(({ types }) => types.includes(options.type));
  if (dialect) return dialect;
  const known = dialects.flatMap(({ types }) => types).join(', ');
  throw new Error(
    `nestjs-shipping knows the DataSource types ${known}, but was given one of type "${options.type}". ` +
      `Give the module a DataSource of its own: ShippingModule.forRoot({ dataSource: 'name' }). Do not give ` +
      `shippingEntities and shippingMigrations to the DataSource of type "${options.type}".`,
  );
}
