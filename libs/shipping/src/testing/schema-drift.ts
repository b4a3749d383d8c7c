import { type DataSource } from 'typeorm';
import { shippingEntities } from '../module/shipping-entities.js';

/**
 * Statements that have nothing to do with our tables. TypeORM would drop views whose entity it does not see, and create
 * the table of its query cache.
 */
const otherStatements = /\bVIEW\b|typeorm_metadata|query-result-cache/;

/**
 * Compares the tables of this library with its entities. Your own entities and tables are not compared.
 * @throws Error with the statements that the schema builder would run to make these tables fit the entities
 * @example
 * it('has the tables of the library', () => expectNoSchemaDrift(app.get(DataSource)));
 */
export async function expectNoSchemaDrift(dataSource: DataSource): Promise<void> {
  const isOurs = (target: unknown) => shippingEntities.some((entity) => entity === target);
  // The schema builder ignores an entity whose `synchronize` is false, as with `@Entity({ synchronize: false })`.
  const others = dataSource.entityMetadatas.filter((each) => each.synchronize && !isOurs(each.target));
  for (const metadata of others) metadata.synchronize = false;
  const { upQueries } = await dataSource.driver
    .createSchemaBuilder()
    .log()
    .finally(() => others.forEach((metadata) => (metadata.synchronize = true)));
  const statements = upQueries.map(({ query }) => query).filter((query) => !otherStatements.test(query));
  if (statements.length === 0) return;
  throw new Error(`The schema is not what the entities say. TypeORM would run:\n${statements.join('\n')}`);
}
