import { Test } from '@nestjs/testing';
import { ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import {
  expectNoSchemaDrift,
  testTypeOrmModule,
  type TestTypeOrmModuleOptions,
} from 'nestjs-shipping/testing';
import {
  DataSource,
  Entity,
  type MigrationInterface,
  PrimaryColumn,
  type QueryRunner,
  ViewColumn,
  ViewEntity,
} from 'typeorm';
import { describe, expect, it } from 'vitest';
import { testTypeOrmEngines } from './test-type-orm-engines.js';
import { ground } from '../support/client.js';

@Entity({ name: 'note' })
class Note {
  @PrimaryColumn({ type: 'integer' })
  id!: number;
}

@ViewEntity({ name: 'recent', expression: 'SELECT id FROM note' })
class Recent {
  @ViewColumn()
  id!: number;
}

class CreateNote implements MigrationInterface {
  name = 'CreateNote1900000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE note (id integer NOT NULL PRIMARY KEY)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE note');
  }
}

/** Statements that list the databases of a server. */
const lists = {
  postgres: 'SELECT datname AS name FROM pg_database',
  mariadb: 'SELECT schema_name AS name FROM information_schema.schemata',
  mysql: 'SELECT schema_name AS name FROM information_schema.schemata',
};

for (const { title, isMissing, options } of testTypeOrmEngines) {
  describe.skipIf(isMissing)(`testTypeOrmModule() on ${title}`, () => {
    const start = (more: Partial<TestTypeOrmModuleOptions> = {}) =>
      Test.createTestingModule({
        imports: [
          testTypeOrmModule({ ...options, ...more } as TestTypeOrmModuleOptions),
          ShippingModule.forRoot(),
        ],
      }).compile();

    it('gives each application a database of its own', async () => {
      const [first, second] = [await start(), await start()];
      await first.get(ShippingMethodsService).create('p', ground);

      await first.close();

      expect((await second.get(ShippingMethodsService).list('p')).meta.total).toBe(0);
      await second.close();
    });

    it("takes the host's entities and migrations, even if they include the library's", async () => {
      const testing = await start({ entities: [Note], migrations: [...shippingMigrations, CreateNote] });
      const notes = testing.get(DataSource).getRepository(Note);

      await notes.insert({ id: 1 });

      expect(await notes.count()).toBe(1);
      expect((await testing.get(ShippingMethodsService).create('p', ground)).version).toBe(1);
      await testing.close();
    });

    // A database in memory ends with its connection.
    it.skipIf(options.type === 'better-sqlite3')(
      'drops the database with the application, even if it does not start',
      async () => {
        const made: string[] = [];
        class Broken1900000000000 implements MigrationInterface {
          async up(runner: QueryRunner): Promise<void> {
            made.push(String(runner.connection.driver.database));
            await Promise.reject(new Error('No such column'));
          }

          async down(): Promise<void> {}
        }
        const [witness, other] = [await start(), await start()];
        made.push(String(other.get(DataSource).driver.database));

        await other.close();
        const broken = await start({ migrations: [Broken1900000000000] }).then(String, String);

        expect(broken).toContain('No such column');
        expect(made).toHaveLength(2);
        const rows: { name: string }[] = await witness
          .get(DataSource)
          .query(lists[options.type as 'mariadb']);
        const theirs = String(witness.get(DataSource).driver.database);
        const left = rows.filter(({ name }) => [...made, theirs].includes(name));
        expect(left).toEqual([{ name: theirs }]);
        await witness.close();
      },
    );

    it('migrates, even with the options of a host that migrates by itself', async () => {
      const testing = await start({ migrationsRun: false });

      expect((await testing.get(ShippingMethodsService).list('p')).meta.total).toBe(0);
      await testing.close();
    });

    it('makes the tables of a host that has synchronize and no migrations', async () => {
      const testing = await start({ entities: [Note], synchronize: true });
      const dataSource = testing.get(DataSource);

      await dataSource.getRepository(Note).insert({ id: 1 });

      expect((await testing.get(ShippingMethodsService).create('p', ground)).version).toBe(1);
      await expectNoSchemaDrift(dataSource);
      await testing.close();
    });

    it('passes expectNoSchemaDrift() with tables, indexes and views of the host that no entity knows', async () => {
      const testing = await start({ entities: [Note, Recent], migrations: [CreateNote] });
      const dataSource = testing.get(DataSource);
      await dataSource.query('ALTER TABLE note ADD COLUMN text integer');
      await dataSource.query('CREATE INDEX ix_note_text ON note (text)');

      await expectNoSchemaDrift(dataSource);

      // After the check, TypeORM compares all tables again.
      expect(await dataSource.driver.createSchemaBuilder().log()).not.toMatchObject({ upQueries: [] });
      await testing.close();
    });

    it('passes expectNoSchemaDrift() until a table is changed', async () => {
      const testing = await start();
      const dataSource = testing.get(DataSource);
      await expectNoSchemaDrift(dataSource);

      await dataSource.query('ALTER TABLE shipping_method ADD COLUMN price integer');

      await expect(expectNoSchemaDrift(dataSource)).rejects.toThrow('shipping_method');
      expect((await testing.get(ShippingMethodsService).create('p', ground)).version).toBe(1);
      await testing.close();
    });
  });
}

describe('testTypeOrmModule()', () => {
  it('takes options that a host can also give to a DataSource', () => {
    const dataSourceOf = (options: TestTypeOrmModuleOptions): DataSource => new DataSource(options);
    const withoutFile: Parameters<typeof testTypeOrmModule>[0] = { type: 'better-sqlite3' };

    const { options } = dataSourceOf({ type: 'postgres', name: 'shop', retryAttempts: 1 });

    expect([options.type, withoutFile.type]).toEqual(['postgres', 'better-sqlite3']);
  });

  it('refuses an engine that the library does not know', async () => {
    const options: TestTypeOrmModuleOptions = { type: 'sqljs' };

    const start = Test.createTestingModule({ imports: [testTypeOrmModule(options)] }).compile();

    await expect(start).rejects.toThrow('knows the DataSource types');
  });

  it('on a server that cannot be reached fails with the error of the driver', async () => {
    const options = { type: 'mariadb', url: 'mariadb://root@127.0.0.1:1/' } as const;

    const start = Test.createTestingModule({ imports: [testTypeOrmModule(options)] }).compile();

    await expect(start).rejects.toThrow('ECONNREFUSED');
  });
});
