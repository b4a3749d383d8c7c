import { fileURLToPath } from 'node:url';
import { Inject, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { shippingEntities, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';
import { namesake } from './namesake.js';

describe('the DataSource of the module', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it('is reported as missing by its name, and the error says what to do', async () => {
    const boot = compiled([typeOrm(database), ShippingModule.forRoot({ dataSource: 'shop' })]);

    const error = await boot.then(String, ({ message }: Error) => message);

    expect(error).toContain('no TypeORM DataSource named "shop"');
    expect(error).toContain("name: 'shop'");
    expect(error).toContain('ShippingModule.forRoot({ dataSource:');
  });

  it('is reported as missing when there is no TypeOrmModule at all', async () => {
    const boot = compiled([ShippingModule.forRoot()]);

    const error = await boot.then(String, ({ message }: Error) => message);

    expect(error).toContain('no TypeORM DataSource named "default"');
    expect(error).toContain('TypeOrmModule.forRoot(');
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

    await expect(mocked.compile()).rejects.toThrow('use embeddedTypeOrmModule()');
  });

  it.each([undefined, 'shop'])(
    'gets our entities by autoLoadEntities, beside a glob of the host (DataSource %s)',
    async (dataSource) => {
      const own = await closedDatabase();
      const options = {
        ...own.options,
        name: dataSource,
        entities: ['/nowhere/**/*.entity.js'],
        autoLoadEntities: true,
        migrations: shippingMigrations,
        migrationsRun: true,
      };
      const shipping = ShippingModule.forRoot({ http: false, dataSource });
      const testing = await compiled([TypeOrmModule.forRoot(options), shipping]);
      await testing.init();

      expect((await testing.get(ShippingMethodsService).list('p')).meta.total).toBe(0);
      await testing.close();
      await own.close();
    },
  );

  it.each(['*.entity', '*.entities', '*.model', 'entity/*', 'entities/*'])(
    'does not load our entities by a glob that reaches into node_modules (%s)',
    async (glob) => {
      const ourPackage = fileURLToPath(new URL('../../libs/shipping/', import.meta.url));
      const entities = [`${ourPackage}**/${glob}{.ts,.js}`];

      const dataSource = await new DataSource({ type: 'sqljs', entities }).initialize();

      expect(dataSource.entityMetadatas).toEqual([]);
    },
  );

  it('that does not know our entities is refused, and the error says what to add', async () => {
    const foreign = await testDatabase({ entities: [], migrations: [] });

    const boot = async (): Promise<unknown> => {
      const testing = await compiled([typeOrm(foreign), ShippingModule.forRoot()]);
      return testing.init();
    };

    await expect(boot()).rejects.toThrow(/autoLoadEntities: true.*shippingEntities/);
    await foreign.close();
  });

  it('that knows only an entity of the host with the name of ours is refused, and the error says so', async () => {
    const own = namesake('method_of_host');
    const empty = await closedDatabase();
    const options = { ...empty.options, synchronize: true, migrationsRun: false };
    const shipping = ShippingModule.forRoot({ http: false });

    const testing = await compiled([TypeOrmModule.forRoot({ ...options, entities: [own] }), shipping]);
    const error = await testing.init().then(String, ({ message }: Error) => message);

    expect(error).toMatch(
      /does not know ShippingMethod, .* Your own entity ShippingMethod is another class\.$/,
    );
    await testing.get(DataSource).destroy();
    const entities = [own, ...shippingEntities];
    const fixed = await compiled([TypeOrmModule.forRoot({ ...options, entities }), shipping]);
    await fixed.init();
    expect(await fixed.get(ShippingMethodsService).findActive('p')).toEqual([]);
    await fixed.close();
    await empty.close();
  });

  it('that the host initializes late and that does not know our entities is refused', async () => {
    const own = await closedDatabase();
    const options = { ...own.options, entities: [], migrations: [], manualInitialization: true };
    const shipping = ShippingModule.forRoot({ http: false });
    class Shop {
      constructor(@Inject(getDataSourceToken()) private readonly dataSource: DataSource) {}
      // The module that is imported was checked before.
      async onModuleInit(): Promise<void> {
        await this.dataSource.initialize();
      }
    }
    Module({ imports: [TypeOrmModule.forRoot(options), shipping] })(Shop);
    const testing = await compiled([Shop]);

    await expect(testing.init()).rejects.toThrow(
      /does not know ShippingMethod, ShippingProject, OrderEvent\. Set/,
    );

    await testing.get(DataSource).destroy();
    await own.close();
  });
});

/** A database without tables, to which nobody is connected. */
async function closedDatabase(): Promise<TestDatabase> {
  const database = await testDatabase({ migrationsRun: false });
  await database.dataSource.destroy();
  return database;
}
