import { readFileSync } from 'node:fs';
import { shippingEntities } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from './support/database.js';

describe('the migrated schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it('matches the entities: the schema builder finds nothing to change', async () => {
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();

    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it("names its tables, constraints and indexes so that they cannot collide with the host's", () => {
    const tables = shippingEntities.map((entity) => database.dataSource.getMetadata(entity));
    const names = tables.flatMap(({ primaryColumns, uniques, indices, checks }) => [
      ...primaryColumns.map(({ primaryKeyConstraintName }) => primaryKeyConstraintName),
      ...[...uniques, ...indices, ...checks].map(({ name }) => name),
    ]);

    expect(tables.filter(({ tableName }) => !tableName.startsWith('shipping_'))).toEqual([]);
    expect(names.filter((name) => !/^(pk|uq|ix|ck)_shipping_/.test(name ?? ''))).toEqual([]);
  });

  it('is what docs/tables.md lists, column by column and name by name', () => {
    const page = readFileSync(new URL('../docs/tables.md', import.meta.url), 'utf8')
      .replace(/ +/g, ' ')
      .replace(/\| unique( index)? \|/g, '| index |');
    const metadatas = shippingEntities.map((entity) => database.dataSource.getMetadata(entity));

    const columns = metadatas.flatMap(({ ownColumns }) =>
      ownColumns.map(
        ({ databaseName, type, length, precision, collation, generationStrategy, isNullable }) => {
          const size = length || precision ? `(${length || precision})` : '';
          const of = `${collation ? ' collate C' : ''}${generationStrategy ? ' generated always as identity' : ''}`;
          return `| \`${databaseName}\` | \`${String(type)}${size}\`${of} | ${isNullable ? 'yes ' : ''}|`;
        },
      ),
    );
    const names = metadatas.flatMap(({ tableName, primaryColumns, uniques, indices, checks }) => [
      `## \`${tableName}\``,
      ...primaryColumns.map(({ primaryKeyConstraintName }) => `\`${primaryKeyConstraintName}\` `),
      ...[...uniques, ...indices].map(
        ({ name, columns: on }) =>
          `| \`${name}\` | index | \`${on.map(({ databaseName }) => databaseName).join(', ')}\``,
      ),
      ...checks.map(({ name, expression }) => `| \`${name}\` | check | \`${expression}\` |`),
    ]);
    expect([...columns, ...names].filter((line) => !page.includes(line))).toEqual([]);
  });

  it('begins every key with the project', async () => {
    const tables = shippingEntities.map((entity) => database.dataSource.getMetadata(entity).tableName);
    const keys: { indexdef: string }[] = await database.dataSource.query(
      `SELECT indexdef FROM pg_indexes WHERE tablename = ANY($1) AND schemaname = $2`,
      [tables, database.options.schema ?? 'public'],
    );

    expect(keys.length).toBeGreaterThanOrEqual(6);
    expect(keys.filter(({ indexdef }) => !/btree \(project_id\b/.test(indexdef))).toEqual([]);
  });
});
