import {
  DuplicateMethodError,
  shippingEntities,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { expectNoSchemaDrift } from 'nestjs-shipping/testing';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';
import { freshProject, ground } from '../support/client.js';

describe('two DataSources with different prefixes in one schema', () => {
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await database?.close();
    database = undefined;
  });

  const works = async (dataSource: DataSource): Promise<void> => {
    await expectNoSchemaDrift(dataSource);
    const module = ShippingModule.forRoot({ http: false });
    const testing = await compiled([typeOrm({ options: dataSource.options, dataSource }), module]);
    const methods = testing.get(ShippingMethodsService);
    const project = freshProject();
    await methods.upsertMany(project, [ground]);
    await expect(methods.create(project, ground)).rejects.toThrow(DuplicateMethodError);
    // The embedded database has one connection.
    await dataSource.destroy();
  };

  it.each(['migrationsRun', 'synchronize'] as const)('both get their tables by %s', async (way) => {
    const ways = { migrationsRun: false, synchronize: false, [way]: true };
    database = await testDatabase({ ...ways, entityPrefix: 'eu_' });
    await works(database.dataSource);
    const more = { entityPrefix: 'us_', migrationsTableName: 'us_migrations' };
    const other = new DataSource({ ...database.options, ...more } as DataSourceOptions);

    await works(await other.initialize());
    await works(await database.dataSource.initialize());
    database.dataSource.setOptions(more);
    await works(await database.dataSource.initialize());
  });
});

it('each constraint and index has the prefix once in its name', async () => {
  const database = await testDatabase({ entityPrefix: 'shop_' });
  await database.dataSource.destroy();
  await database.dataSource.initialize();

  const names = shippingEntities.flatMap((entity) => {
    const { primaryColumns, uniques, indices, checks } = database.dataSource.getMetadata(entity);
    return [
      ...primaryColumns.map(({ primaryKeyConstraintName }) => primaryKeyConstraintName),
      ...[...uniques, ...indices, ...checks].map(({ name }) => name),
    ];
  });

  expect(names.filter((name) => !/^shop_(pk|uq|ix|ck)_shipping_/.test(name ?? ''))).toEqual([]);
  await database.close();
});
