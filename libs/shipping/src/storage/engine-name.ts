import { type DataSource } from 'typeorm';

/** The engines that we know, by TypeORM's names. */
const engines = ['postgres', 'mariadb', 'mysql', 'better-sqlite3'] as const;

export type EngineName = (typeof engines)[number];

/** @throws Error that names the remedy, for a DataSource of another engine */
export function engineOf({ options, subscribers }: DataSource): EngineName {
  // A test may have put something else in place of the DataSource.
  if (!options || !subscribers) {
    throw new Error(
      'ShippingModule was given something that is no DataSource of TypeORM. A test that mocks the database overrides ' +
        'the providers ShippingMethods and OrderEvents instead, or takes embeddedTypeOrm() of nestjs-shipping/testing.',
    );
  }
  const engine = engines.find((known) => known === options.type);
  if (engine) return engine;
  throw new Error(
    `nestjs-shipping knows the DataSource types ${engines.join(', ')}, but was given one of type "${options.type}". ` +
      `Give the module a DataSource of its own, ShippingModule.forRoot({ dataSource: 'name' }), and keep ` +
      `shippingEntities and shippingMigrations out of the one of type "${options.type}".`,
  );
}
