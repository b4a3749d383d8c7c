import { type EntityManager, type QueryResult } from 'typeorm';

/**
 * Runs a statement of the QueryBuilder. Its own methods would also call the host's subscribers, and could read from the query
 * cache of the host.
 */
export function run<Row>(
  { queryRunner }: EntityManager,
  statement: { getQueryAndParameters(): [string, unknown[]] },
): Promise<QueryResult<Row>> {
  if (!queryRunner) throw new TypeError('A statement needs a connection.');
  const [sql, parameters] = statement.getQueryAndParameters();
  return queryRunner.query(sql, parameters, true);
}
