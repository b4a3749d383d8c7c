import { type EntityManager, type EntityTarget, type ObjectLiteral, type QueryResult } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { onePerDataSource } from './one-per-data-source.js';

/** TypeORM 0.3 fails without the third argument. TypeORM 1 takes two. */
interface Escaping {
  escapeQueryWithParameters(sql: string, parameters: object, native: object): [string, unknown[]];
}

const cachedTextsOf = onePerDataSource(() => new Map<string, string>());

/**
 * Runs a statement of the QueryBuilder. The SQL text is cached, because building it takes longer than a short
 * statement.
 * @param name identifies the statement among all statements on the table of the entity
 * @param build is called when the text is not cached yet
 */
export function runCached<Row>(
  manager: EntityManager,
  entity: EntityTarget<ObjectLiteral>,
  name: string,
  values: Record<string, unknown>,
  build: () => { getQuery(): string },
): Promise<QueryResult<Row>> {
  if (!manager.queryRunner) throw new Error('runCached() got a manager without a query runner.');
  const dataSource = dataSourceOf(manager);
  const cachedTexts = cachedTextsOf(dataSource);
  // The table may have another name after the host has initialized its DataSource again.
  const key = `${name} ${dataSource.getMetadata(entity).tablePath}`;
  const text = cachedTexts.get(key) ?? build().getQuery();
  cachedTexts.set(key, text);
  const driver: Escaping = dataSource.driver;
  const [sql, parameters] = driver.escapeQueryWithParameters(text, values, {});
  return manager.queryRunner.query(sql, parameters, true);
}
