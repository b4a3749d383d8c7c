import { type ColumnType, type DataSource } from 'typeorm';

/** The types in the decorators, and PostgreSQL's types for them. */
const types = new Map<ColumnType, ColumnType>([
  [Boolean, 'boolean'],
  [Date, 'timestamptz'],
  ['simple-json', 'jsonb'],
]);

/** @throws Error that names the remedy, for a DataSource of another engine */
export function refuseOtherEngines({ options, subscribers }: DataSource): void {
  // A test may have put something else in place of the DataSource.
  if (!options || !subscribers) {
    throw new Error(
      'ShippingModule was given something that is no DataSource of TypeORM. A test that mocks the database overrides ' +
        'the providers ShippingMethods and OrderEvents instead, or takes embeddedTypeOrm() of nestjs-shipping/testing.',
    );
  }
  if (options.type === 'postgres') return;
  throw new Error(
    `nestjs-shipping needs PostgreSQL, but was given a DataSource of type "${options.type}". Give the module a ` +
      `PostgreSQL DataSource of its own, ShippingModule.forRoot({ dataSource: 'name' }), and keep shippingEntities ` +
      `and shippingMigrations out of the one of type "${options.type}".`,
  );
}

/**
 * Gives the metadata of a PostgreSQL DataSource PostgreSQL's column types. The decorators of the entity name types that
 * every driver of TypeORM knows. So another engine fails with our error, not with TypeORM's.
 *
 * TypeORM calls `useDataSource` between checking the metadata and using it, on a class that also has the static
 * `hasId` and `save` of its `BaseEntity`.
 */
export const PostgresTypes: ClassDecorator = (entity) => {
  Object.defineProperties(entity, {
    hasId: { value: () => false },
    save: { value: () => undefined },
    useDataSource: {
      value(this: typeof entity, dataSource: DataSource) {
        refuseOtherEngines(dataSource);
        // `this` may be a subclass that the host made an entity.
        for (const column of dataSource.getMetadata(this).ownColumns) {
          column.type = types.get(column.type) ?? column.type;
        }
      },
    },
  });
};
