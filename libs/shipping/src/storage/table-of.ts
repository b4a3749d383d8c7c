import { type DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';

/** The quoted name of an entity's table, with the host's schema and prefix. */
export function tableOf(dataSource: DataSource, entity: EntityTarget<ObjectLiteral>): string {
  const { tablePath } = dataSource.getMetadata(entity);
  return tablePath
    .split('.')
    .map((name) => dataSource.driver.escape(name))
    .join('.');
}
