import { type DataSource, type EntityManager } from 'typeorm';
import { type Dialect } from './dialects/dialect.js';
import { dialectOf } from './dialects/dialects.js';

/**
 * Returns the DataSource of a manager or a query runner. TypeORM 1 also calls the property `dataSource`, but TypeORM 0.3
 * does not have this name.
 */
export function dataSourceOf({ connection }: { readonly connection: DataSource }): DataSource {
  return connection;
}

/** Returns the dialect of the statements that a manager sends. */
export function dialectIn(manager: EntityManager): Dialect {
  return dialectOf(dataSourceOf(manager));
}
