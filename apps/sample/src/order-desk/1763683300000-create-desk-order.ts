import { type MigrationInterface, type QueryRunner, Table, type TableOptions } from 'typeorm';

const key = {
  type: 'varchar',
  length: '64',
  collation: 'C',
  isPrimary: true,
  primaryKeyConstraintName: 'pk_desk_order',
};

const deskOrder: TableOptions = {
  name: 'desk_order',
  columns: [
    { ...key, name: 'project_id' },
    { ...key, name: 'order_id' },
    { name: 'method_id', type: 'uuid' },
    { name: 'placed_at', type: 'timestamp with time zone', precision: 3, default: 'now()' },
  ],
  foreignKeys: [
    {
      name: 'fk_desk_order_method',
      columnNames: ['project_id', 'method_id'],
      referencedTableName: 'shipping_method',
      referencedColumnNames: ['project_id', 'id'],
    },
  ],
  // PostgreSQL looks here for the orders of a method that is to be deleted.
  indices: [{ name: 'ix_desk_order_method', columnNames: ['project_id', 'method_id'] }],
};

export class CreateDeskOrder implements MigrationInterface {
  name = 'SampleCreateDeskOrder1763683300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table(deskOrder));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable(deskOrder.name);
  }
}
