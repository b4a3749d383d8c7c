import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

/** A page of some types is read in the order of the primary key, so the index by type only made writes slower. */
export class DropEventTypeIndex implements MigrationInterface {
  name = 'NestjsShippingDropEventTypeIndex1795478400000';

  async up(runner: QueryRunner): Promise<void> {
    // A host may have synchronized its tables, or made them partitions, without this index.
    const table = await runner.getTable(tableOf(runner));
    const index = indexOf(runner);
    if (table?.indices.some(({ name }) => name === index.name)) await runner.dropIndex(table, index);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.createIndex(tableOf(runner), indexOf(runner));
  }
}

function indexOf({ connection }: QueryRunner): TableIndex {
  return new TableIndex({
    name: `${connection.options.entityPrefix ?? ''}ix_shipping_order_event_type`,
    columnNames: ['project_id', 'order_id', 'type', 'occurred_at', 'seq'],
  });
}

/** The host's DataSource may change the name and add a prefix. TypeORM adds the schema. */
function tableOf({ connection: { namingStrategy, options } }: QueryRunner): string {
  const named = namingStrategy.tableName('OrderEvent', 'shipping_order_event');
  return options.entityPrefix ? namingStrategy.prefixTableName(options.entityPrefix, named) : named;
}
