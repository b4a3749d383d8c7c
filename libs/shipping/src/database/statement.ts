import { type EntityManager, type EntityTarget, type ObjectLiteral, type QueryResult } from 'typeorm';
import { onePerDataSource } from './one-per-data-source.js';

/** TypeORM 0.3 fails without the third argument. TypeORM 1 takes two. */
interface Escaping {
  escapeQueryWithParameters(sql: string, parameters: object, native: object): [string, unknown[]];
}

const texts = onePerDataSource(() => new Map<string, string>());

/**
 * Runs a statement of the QueryBuilder. To write the SQL takes the QueryBuilder longer than to answer it takes a
 * database, so the SQL is kept.
 * @param name identifies the statement among all statements on the table of the entity
 * @param build is called when the SQL is not known yet
 */
export function run<Found>(
  { connection, queryRunner }: EntityManager,
  entity: EntityTarget<ObjectLiteral>,
  name: string,
  values: Record<string, unknown>,
  build: () => { getQuery(): string },
): Promise<QueryResult<Found>> {
  if (!queryRunner) throw new TypeError('A statement needs a connection.');
  const known = texts(connection);
  // The name of the table may be another one after the host has initialized its DataSource again.
  const key = `${name} ${connection.getMetadata(entity).tablePath}`;
  const text = known.get(key) ?? build().getQuery();
  known.set(key, text);
  const driver: Escaping = connection.driver;
  const [sql, parameters] = driver.escapeQueryWithParameters(text, values, {});
  return queryRunner.query(sql, parameters, true);
}
