import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingMethod, ShippingMethods, ShippingModule, ShippingProject } from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { freshProject } from '../../support/client.js';
import { testDatabase } from '../../support/database.js';

it('a DataSource that is initialized again with another schema is used with the tables of that schema', async () => {
  const database = await testDatabase();
  // The embedded database has one connection.
  await database.dataSource.destroy();
  const testing = await Test.createTestingModule({
    imports: [
      TypeOrmModule.forRootAsync({ useFactory: () => ({ ...database.options, manualInitialization: true }) }),
      ShippingModule.forRoot({ isGlobal: true }),
    ],
  }).compile();
  const dataSource = testing.get(DataSource);
  const methods = testing.get(ShippingMethods);
  const project = freshProject();
  const codes = { carrier_code: 'ups', method_code: '03' };

  await dataSource.initialize();
  await dataSource.query('DROP SCHEMA IF EXISTS again CASCADE');
  await dataSource.query('CREATE SCHEMA again');
  for (const entity of [ShippingProject, ShippingMethod]) {
    const { tablePath, tableName } = dataSource.getMetadata(entity);
    await dataSource.query(`CREATE TABLE again.${tableName} (LIKE ${tablePath} INCLUDING ALL)`);
  }
  const { id } = await methods.create(project, { ...codes, method_label: 'First schema' });
  await methods.update(project, id, { ...codes, method_label: 'Still the first' });
  await dataSource.destroy();
  dataSource.setOptions({ schema: 'again', migrationsRun: false });
  await dataSource.initialize();
  const unknown = await methods.findByCodes(project, 'ups', '03');
  const second = await methods.create(project, { ...codes, method_label: 'Second schema' });
  const { data } = await methods.list(project);
  await dataSource.query('DROP SCHEMA again CASCADE');
  await testing.close();
  await database.close();

  expect(unknown).toBeNull();
  expect(data).toEqual([second]);
});
