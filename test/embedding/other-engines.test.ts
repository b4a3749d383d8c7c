import { TypeOrmModule } from '@nestjs/typeorm';
import {
  OrderEvent,
  shippingEntities,
  ShippingMethod,
  ShippingMethods,
  ShippingModule,
} from 'nestjs-shipping';
import { Column, DataSource, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

/** A host's own entity, on any engine. */
@Entity({ name: 'note' })
class Note {
  @PrimaryColumn({ type: 'integer' })
  id!: number;
}

/** A host's entity that refers to a method. */
@Entity({ name: 'parcel' })
class Parcel {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'project_id', type: 'varchar', length: 64, collation: 'C' })
  projectId!: string;

  @ManyToOne(() => ShippingMethod)
  @JoinColumn([
    { name: 'project_id', referencedColumnName: 'projectId' },
    { name: 'method_id', referencedColumnName: 'id' },
  ])
  method!: Relation<ShippingMethod>;
}

/** Host entities that extend ours, in a schema of their own. */
@Entity({ name: 'archived_method', schema: 'archive' })
class ArchivedMethod extends ShippingMethod {}

@Entity({ name: 'archived_event', schema: 'archive' })
class ArchivedEvent extends OrderEvent {}

/** Checks the entities as `initialize()` does, without a server. */
class Unconnected extends DataSource {
  checkEntities(): Promise<void> {
    return this.buildMetadatas();
  }
}

const sqlite = { type: 'sqljs', retryAttempts: 1 } as const;

describe('beside another engine', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.close());

  it.each([
    ['by autoLoadEntities', { autoLoadEntities: true }],
    ['by autoLoadEntities, which synchronizes', { autoLoadEntities: true, synchronize: true }],
    ['in its list of entities', { entities: [ShippingMethod] }],
    ['not at all', { entities: [] }],
  ])(
    'a default DataSource that knows our entities %s is refused, and the error says what to do',
    async (_how, options) => {
      const boot = compiled([TypeOrmModule.forRoot({ ...sqlite, ...options }), ShippingModule.forRoot()]);

      const refusal = await boot.then(String, ({ message }: Error) => message);

      expect(refusal).toMatch(/knows the DataSource types.*"sqljs"/);
      expect(refusal).toContain("ShippingModule.forRoot({ dataSource: 'name' })");
    },
  );

  it.each(['mssql'] as const)('a DataSource of type %s is refused with the same error', async (type) => {
    const unconnected = new Unconnected({ type, driver: {}, database: 'shop', entities: shippingEntities });

    await expect(unconnected.checkEntities()).rejects.toThrow(`but was given one of type "${type}"`);
  });

  it('a named PostgreSQL DataSource serves the module, and the default one stays as it is', async () => {
    const testing = await compiled([
      TypeOrmModule.forRoot({ ...sqlite, entities: [Note], synchronize: true }),
      typeOrm(database, 'shop'),
      ShippingModule.forRoot({ dataSource: 'shop' }),
    ]);
    await testing.init();

    expect((await testing.get(ShippingMethods).create('p', ground)).version).toBe(1);
    await testing.close();
  });
});

describe("on PostgreSQL, the entities' columns", () => {
  it('have PostgreSQL types after synchronize, also in a host entity that refers to a method', async () => {
    const made = { entities: [ShippingMethod, Parcel], migrations: [], synchronize: true };
    const database = await testDatabase(made);
    const { dataSource } = database;

    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    const types: { data_type: string }[] = await dataSource.query(
      `SELECT DISTINCT data_type FROM information_schema.columns
       WHERE table_schema = $1 AND (table_name, column_name) IN
         (('shipping_method', 'meta'), ('shipping_method', 'created_at'), ('shipping_method', 'id'), ('parcel', 'method_id'))
       ORDER BY 1`,
      [database.options.schema ?? 'public'],
    );

    expect(upQueries).toEqual([]);
    expect(types.map(({ data_type }) => data_type)).toEqual(['jsonb', 'timestamp with time zone', 'uuid']);
    await database.close();
  });

  it('have PostgreSQL types also in host entities that extend ours, with ours or without', async () => {
    const archives = [ArchivedMethod, ArchivedEvent];

    for (const ours of [[], shippingEntities]) {
      const database = await testDatabase({ entities: [...ours, ...archives], migrations: [] });
      const columns = archives.flatMap((archive) => database.dataSource.getMetadata(archive).ownColumns);

      const types = new Set(columns.map(({ type }) => type));
      expect(types).toEqual(
        new Set(['varchar', 'uuid', 'boolean', 'integer', 'jsonb', 'text', 'timestamptz', 'bigint']),
      );
      await database.close();
    }
  });

  it('are read and written by a repository of the host as JSON and times', async () => {
    const database = await testDatabase();
    const methods = database.dataSource.getRepository(ShippingMethod);
    const times = { createdAt: new Date('2026-03-08T07:00:00.123Z'), updatedAt: new Date(0) };
    const codes = { projectId: 'p', carrierCode: 'ups', methodCode: '03' };
    const row = { ...codes, ...times, id: '01890000-0000-7000-8000-000000000000', meta: { a: [1] } };
    const others = { methodLabel: 'x', isActive: true, sortOrder: 0, useDefault: false, version: 1 };

    await methods.save(Object.assign(new ShippingMethod(), { ...row, ...others, searchText: '' }));

    expect(await methods.findOneBy(codes)).toMatchObject(row);
    await database.close();
  });
});
