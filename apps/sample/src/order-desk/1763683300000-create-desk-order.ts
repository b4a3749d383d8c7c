import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';

export class CreateDeskOrder implements MigrationInterface {
  name = 'SampleCreateDeskOrder1763683300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: pathOf(runner, 'desk_order'),
        columns: [
          { ...key, name: 'project_id', type: 'varchar', length: '64', collation: 'C' },
          { ...key, name: 'order_id', type: 'varchar', length: '64', collation: 'C' },
          { name: 'method_id', type: 'uuid' },
          { name: 'placed_at', type: 'timestamp with time zone', precision: 3, default: 'now()' },
        ],
        foreignKeys: [
          {
            name: 'fk_desk_order_method',
            columnNames: ['project_id', 'method_id'],
            referencedTableName: pathOf(runner, 'shipping_method'),
            referencedColumnNames: ['project_id', 'id'],
          },
        ],
        // Deleting a method looks for its orders.
        indices: [{ name: 'ix_desk_order_method', columnNames: ['project_id', 'method_id'] }],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable(pathOf(runner, 'desk_order'));
  }
}

const key = { isPrimary: true, primaryKeyConstraintName: 'pk_desk_order' };

function pathOf({ connection }: QueryRunner, name: string): string {
  return connection.driver.buildTableName(
    name,
    'schema' in connection.options ? connection.options.schema : undefined,
  );
}
