import { randomUUID } from 'node:crypto';
import { shippingEntities, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { expectNoSchemaDrift } from 'nestjs-shipping/testing';
import { Entity, PrimaryColumn } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { compiled, typeOrm } from '../../embedding/host.js';
import { engine, type TestDatabase, testDatabase } from '../../support/database.js';

@Entity({ name: 'shipping_method', schema: 'another', synchronize: false })
class MethodOfHost {
  @PrimaryColumn({ name: 'id', type: 'integer' })
  id!: number;
}

describe('the migrations', () => {
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await database?.close();
    database = undefined;
  });

  it('honour schema, even beside a table with the same name in another schema', async () => {
    const schema = `logistics_${randomUUID().slice(0, 8)}`;
    const entities = [MethodOfHost, ...shippingEntities];
    database = await testDatabase({ postgres: { schema }, entities, migrationsRun: false });
    await database.dataSource.query(`CREATE SCHEMA ${schema}`);

    await database.dataSource.runMigrations();

    await expectNoSchemaDrift(database.dataSource);
    expect(await engine.tableNames(database.dataSource.manager)).toContain('shipping_method');
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);
    await testing.init();
    const methods = testing.get(ShippingMethodsService);
    await methods.create('p', { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' });
    expect((await methods.list('p')).meta.total).toBe(1);
    await database.dataSource.query(`DROP SCHEMA ${schema} CASCADE`);
  });
});
