import { readFileSync } from 'node:fs';
import { shippingEntities, type ShippingMethod } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database.js';
import { addMethods } from '../../support/rows.js';

describe('the migrated schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it('is what docs/reference-database.md lists, column by column and name by name', () => {
    const page = readFileSync(new URL('../../../docs/reference-database.md', import.meta.url), 'utf8')
      .replace(/ +/g, ' ')
      .replace(/\| unique( index)? \|/g, '| index |');
    const metadatas = shippingEntities.map((entity) => database.dataSource.getMetadata(entity));

    const columns = metadatas.flatMap(({ ownColumns }) =>
      ownColumns.map(
        ({ databaseName, type, length, precision, collation, generationStrategy, isNullable }) => {
          const size = length || precision ? `(${length || precision})` : '';
          const of = `${collation ? ' collate C' : ''}${generationStrategy ? ' generated always as identity' : ''}`;
          // TypeORM makes a `text` of this type.
          const ofColumn = type === 'simple-array' ? 'text' : String(type);
          return `| \`${databaseName}\` | \`${ofColumn}${size}\`${of} | ${isNullable ? 'yes ' : ''}|`;
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

  it.each<[check: string, values: Partial<ShippingMethod>]>([
    ['ck_shipping_method_codes', { carrierCode: '' }],
    ['ck_shipping_method_codes', { methodCode: '' }],
    ['ck_shipping_method_meta', { meta: [] }],
    ['ck_shipping_method_version', { version: 0 }],
  ])('has the check %s, which refuses %o', async (check, values) => {
    await expect(addMethods(database.dataSource.manager, 'acme', 1, () => values)).rejects.toThrow(check);
  });
});
