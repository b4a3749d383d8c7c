import {
  DatabaseUnavailableError,
  OrderEvent,
  shippingEntities,
  ShippingMethod,
  ShippingMethodsService,
  ShippingModule,
  ShippingProject,
} from 'nestjs-shipping';
import { Logger } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, DefaultNamingStrategy, Entity, PrimaryColumn } from 'typeorm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { onlyWhere, type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';
import { namesake } from './namesake.js';
import { ground } from '../support/client.js';

/** Vendure has an entity with this table. */
@Entity({ name: 'shipping_method' })
class MethodOfHost {
  @PrimaryColumn({ name: 'id', type: 'integer' })
  id!: number;
}

/** An entity with which a host reads our table. */
@Entity({ name: 'shipping_method', synchronize: false })
class LabelOfMethod {
  @PrimaryColumn({ name: 'project_id', type: 'varchar' })
  projectId!: string;

  @Column({ name: 'method_label', type: 'varchar' })
  label!: string;
}

describe('the tables, when an application boots,', () => {
  let database: TestDatabase | undefined;
  afterEach(async () => {
    await database?.close();
    database = undefined;
  });

  const booted = async (open: TestDatabase): Promise<ShippingMethodsService> => {
    const testing = await compiled([typeOrm(open), ShippingModule.forRoot({ http: false })]);
    await testing.createNestApplication().init();
    return testing.get(ShippingMethodsService);
  };

  it('are reported as missing when no migration has run, with the two lines to add', async () => {
    database = await testDatabase({ migrationsRun: false });

    const error = await booted(database).catch(({ message }: Error) => message);

    expect(error).toMatch(
      /no table \S*shipping_method, \S*shipping_project, \S*shipping_order_event, or its user/,
    );
    expect(error).toContain("import { shippingMigrations } from 'nestjs-shipping/migrations'");
    expect(error).toContain('migrations: shippingMigrations, migrationsRun: true');
  });

  it('are reported as missing with the schema and the prefix of the host', async () => {
    database = await testDatabase({ entityPrefix: 'shop_' });
    await database.dataSource.query(`DROP TABLE ${database.table('shop_shipping_order_event')}`);

    const error = await booted(database).catch(({ message }: Error) => message);

    expect(error).toMatch(
      /no table (test_\w+\.)?shop_shipping_order_event, or its user has no right on it\. Add/,
    );
    expect(error).toContain('If somebody has dropped the table, restore it from a backup.');
  });

  it('are refused when they lack columns, which the error names', async () => {
    database = await testDatabase();
    const { dataSource } = database;
    const lacking: [table: string, entity: new () => object, columns: string[]][] = [
      ['shipping_order_event', OrderEvent, ['message']],
      ['shipping_project', ShippingProject, ['revision']],
      ['shipping_method', ShippingMethod, ['meta', 'use_default']],
    ];

    for (const [name, entity, columns] of lacking) {
      const runner = dataSource.createQueryRunner();
      await runner.dropColumns(dataSource.getMetadata(entity).tablePath, columns);
      await runner.release();
      const error = await booted(database).catch(({ message }: Error) => message);

      expect(error).toMatch(new RegExp(`${name} without the columns ${columns.join(', ')}\\b`));
      expect(error).toMatch(/shippingMigrations/);
      expect(error).toContain('schema');
    }
  });

  /** Does what the errors about a table of the host name. */
  class Renaming extends DefaultNamingStrategy {
    override tableName(entity: string, name: string | undefined): string {
      const isOurs = entity === 'ShippingMethod' && name === 'shipping_method';
      return isOurs ? 'carrier_method' : super.tableName(entity, name);
    }
  }
  const remedy =
    "a namingStrategy whose tableName('ShippingMethod', 'shipping_method') returns another name. Or give";

  it.each([
    ['of another name', MethodOfHost],
    ['of the same name', namesake()],
  ])(
    'are refused before synchronize changes a table of an entity %s, and the remedy works',
    async (_name, entity) => {
      const settings = { entities: [entity, ...shippingEntities], synchronize: true, migrationsRun: false };

      const error = await testDatabase(settings).then(String, ({ message }: Error) => message);

      expect(error).toMatch(
        new RegExp(`Your entity ${entity.name} also has the table \\S*shipping_method\\. Give`),
      );
      expect(error).toContain(remedy);
      database = await testDatabase({ ...settings, namingStrategy: new Renaming() });
      expect(await (await booted(database)).findActive('p')).toEqual([]);
      expect(await database.dataSource.getRepository(entity).find()).toEqual([]);
    },
  );

  it('are refused beside an entity with the same names of class and table, which must be renamed', async () => {
    const opening = testDatabase({ entities: [namesake('shipping_method'), ...shippingEntities] });

    await expect(opening).rejects.toThrow(
      /\. Rename your class, because it has the name of ours\. Give the DataSource/,
    );
  });

  it.each([
    ['namingStrategy', { namingStrategy: new Renaming() }],
    ['entityPrefix', { entityPrefix: 'carrier_' }],
  ])(
    'are refused beside a table of the host without an entity, and a %s helps',
    async (_option, settings) => {
      database = await testDatabase({ migrationsRun: false });
      const { dataSource, table } = database;
      await dataSource.query(`CREATE TABLE ${table('shipping_method')} (id integer)`);

      const error = await booted(database).then(String, ({ message }: Error) => message);

      expect(error).toMatch(/has a table \S*shipping_method without the columns project_id, carrier_code/);
      expect(error).toContain(remedy);
      dataSource.setOptions({ ...settings, migrationsRun: true });
      await dataSource.destroy();
      await dataSource.initialize();
      expect(await (await booted(database)).findActive('p')).toEqual([]);
      expect(await dataSource.query(`SELECT * FROM ${table('shipping_method')}`)).toEqual([]);
    },
  );

  it('are refused when a namingStrategy renames their columns, and the error says what it may rename', async () => {
    class UpperCase extends DefaultNamingStrategy {
      override columnName(property: string, custom: string): string {
        return (custom || property).toUpperCase();
      }
    }

    const opening = testDatabase({ namingStrategy: new UpperCase() });

    await expect(opening).rejects.toThrow('The namingStrategy of the DataSource renames our columns');
  });

  it('may also be read through an entity of the host', async () => {
    database = await testDatabase({ entities: [LabelOfMethod, ...shippingEntities] });
    const methods = await booted(database);
    await methods.create('p', ground);

    const [found] = await database.dataSource.getRepository(LabelOfMethod).find();

    expect(found?.label).toBe('UPS Ground');
  });

  it('may be missing in a script that migrates: there is only a warning', async () => {
    database = await testDatabase({ migrationsRun: false });
    const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const script = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);

    await script.init();
    await database.dataSource.runMigrations();

    expect(warned).toHaveBeenCalledWith(expect.stringContaining('The database has no table'));
    expect(await script.get(ShippingMethodsService).findActive('p')).toEqual([]);
    warned.mockRestore();
  });

  it('may lack a column in a script that migrates: there is only a warning', async () => {
    database = await testDatabase();
    await database.dataSource.query(`ALTER TABLE ${database.table('shipping_method')} DROP COLUMN meta`);
    const warned = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const script = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);

    await script.init();

    expect(warned).toHaveBeenCalledWith(expect.stringContaining('without the columns meta'));
    warned.mockRestore();
  });

  it('are not checked on a DataSource that the host initialises later', async () => {
    database = await testDatabase();
    const options = { ...database.options, manualInitialization: true };
    const testing = await compiled([TypeOrmModule.forRoot(options), ShippingModule.forRoot({ http: false })]);

    await testing.init();

    expect(testing.get(DataSource).isInitialized).toBe(false);
  });

  onlyWhere('connections', () => {
    it('cannot be checked without the database: DatabaseUnavailableError', async () => {
      database = await testDatabase();
      const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);
      const { dataSource } = database;
      const createQueryRunner = dataSource.createQueryRunner.bind(dataSource);
      dataSource.createQueryRunner = (mode) => {
        const runner = createQueryRunner(mode);
        runner.connect = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
        return runner;
      };

      const boot = testing.init();

      await expect(boot).rejects.toBeInstanceOf(DatabaseUnavailableError);
      dataSource.createQueryRunner = createQueryRunner;
    });
  });
});
