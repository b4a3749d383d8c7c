import { Test } from '@nestjs/testing';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';

describe('the DataSource of the module', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it('is reported as missing by its name, with the ways to add it or to name another one', async () => {
    const boot = compiled([typeOrm(database), ShippingModule.forRoot({ dataSource: 'shop' })]);

    const refusal = await boot.then(String, ({ message }: Error) => message);

    expect(refusal).toContain('no TypeORM DataSource named "shop"');
    expect(refusal).toContain("name: 'shop'");
    expect(refusal).toContain('ShippingModule.forRoot({ dataSource:');
  });

  it('is reported as missing when there is no TypeOrmModule at all', async () => {
    const boot = compiled([ShippingModule.forRoot()]);

    const refusal = await boot.then(String, ({ message }: Error) => message);

    expect(refusal).toContain('no default TypeORM DataSource');
    expect(refusal).toContain('TypeOrmModule.forRoot(');
  });

  it('that cannot be opened fails with its own error, not with ours', async () => {
    const broken = TypeOrmModule.forRootAsync({
      useFactory: () => ({ ...database.options, retryAttempts: 1 }),
      dataSourceFactory: () => Promise.reject(new Error('the password is wrong')),
    });

    const boot = compiled([ShippingModule.forRoot(), broken]);

    await expect(boot).rejects.toThrow('the password is wrong');
  });

  it('that is a mock is refused, and the error says what to mock instead', async () => {
    const mocked = Test.createTestingModule({ imports: [typeOrm(database), ShippingModule.forRoot()] })
      .overrideProvider(getDataSourceToken())
      .useValue({});

    await expect(mocked.compile()).rejects.toThrow('overrides the providers ShippingMethods and OrderEvents');
  });
});
