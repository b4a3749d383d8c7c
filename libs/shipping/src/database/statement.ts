import { type EntityManager, type EntityTarget, type ObjectLiteral, type QueryResult } from 'typeorm';
import { onePerDataSource } from './one-per-data-source.js';

/** TypeORM 0.3 fails without the third argument. TypeORM 1 has no third one. */
interface Escaping {
  escapeQueryWithParameters(sql: string, parameters: object, native: object): [string, unknown[]];
}

const texts = onePerDataSource(() => new Map<string, string>());

/**
 * Runs a statement of the QueryBuilder, which takes longer to write it than a database to answer it. So it writes each
 * once.
 * @param name of the statement, among those on the table of the entity
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
  // The name of a table may change when the host initializes its DataSource again.
  const key = `${name} ${connection.getMetadata(entity).tablePath}`;
  const text = known.get(key) ?? build().getQuery();
  known.set(key, text);
  const driver: Escaping = connection.driver;
  const [sql, parameters] = driver.escapeQueryWithParameters(text, values, {});
  return queryRunner.query(sql, parameters, true);
}
