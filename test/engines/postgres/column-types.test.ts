import { OrderEvent, shippingEntities, ShippingMethod } from 'nestjs-shipping';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../support/database.js';
import { schemaOf } from '../../support/engines/postgres.js';

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
      [schemaOf(database)],
    );

    expect(upQueries).toEqual([]);
    expect(types.map(({ data_type }) => data_type)).toEqual(['jsonb', 'timestamp with time zone', 'uuid']);
    await database.close();
  });

  it('have PostgreSQL types also in host entities that extend ours, beside our entities or alone', async () => {
    const archives = [ArchivedMethod, ArchivedEvent];

    for (const ours of [[], shippingEntities]) {
      const database = await testDatabase({ entities: [...ours, ...archives], migrations: [] });
      const columns = archives.flatMap((archive) => database.dataSource.getMetadata(archive).ownColumns);

      const types = new Set(columns.map(({ type }) => type));
      expect(types).toEqual(
        // TypeORM makes a `text` of the type `simple-array`.
        new Set(['varchar', 'uuid', 'boolean', 'integer', 'jsonb', 'simple-array', 'timestamptz', 'bigint']),
      );
      await database.close();
    }
  });
});
