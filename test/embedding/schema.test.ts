import { shippingEntities, ShippingMethod } from 'nestjs-shipping';
import { expectNoSchemaDrift } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engine, type TestDatabase, testDatabase } from '../support/database.js';

describe('the migrated schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it('has our prefix in the name of each table, constraint and index', () => {
    const tables = shippingEntities.map((entity) => database.dataSource.getMetadata(entity));
    const names = tables.flatMap(({ primaryColumns, uniques, indices, checks }) => [
      ...primaryColumns.map(({ primaryKeyConstraintName }) => primaryKeyConstraintName),
      ...[...uniques, ...indices, ...checks].map(({ name }) => name),
    ]);

    expect(tables.filter(({ tableName }) => !tableName.startsWith('shipping_'))).toEqual([]);
    expect(names.filter((name) => !/^(pk|uq|ix|ck)_shipping_/.test(name ?? ''))).toEqual([]);
  });

  it('has the project as the first column of each key', async () => {
    const keys = await engine.keys(database.dataSource.manager);

    expect(keys.length).toBeGreaterThanOrEqual(5);
    expect(keys.filter(([first]) => first !== 'project_id')).toEqual(engine.extraKeys);
  });
});

it('expectNoSchemaDrift() finds a column that was changed by SQL', async () => {
  const database = await testDatabase();
  const runner = database.dataSource.createQueryRunner();
  const table = await runner.getTable(database.dataSource.getMetadata(ShippingMethod).tablePath);
  const label = table?.findColumnByName('method_label');
  if (table && label) await runner.changeColumn(table, label, Object.assign(label.clone(), { length: '99' }));
  await runner.release();

  await expect(expectNoSchemaDrift(database.dataSource)).rejects.toThrow(/method_label/);
  await database.close();
});
