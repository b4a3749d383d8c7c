import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from 'typeorm';

export class CreateDeskOrder implements MigrationInterface {
  name = 'SampleCreateDeskOrder1763683300000';

  async up(runner: QueryRunner): Promise<void> {
    const methods = await runner.getTable('shipping_method');
    // A foreign key has the types of what it refers to, which each engine calls otherwise.
    const like = (column: string): Partial<TableColumnOptions> => {
      const { type, length, charset, collation } = methods?.findColumnByName(column) ?? {};
      return { type, length, charset, collation };
    };
    const key = { isPrimary: true, primaryKeyConstraintName: 'pk_desk_order' };
    const table = new Table({
      name: 'desk_order',
      columns: [
        { name: 'project_id', type: 'varchar', ...like('project_id'), ...key },
        { name: 'order_id', type: 'varchar', ...like('project_id'), ...key },
        { name: 'method_id', type: 'varchar', ...like('id') },
      ],
      foreignKeys: [
        {
          name: 'fk_desk_order_method',
          columnNames: ['project_id', 'method_id'],
          referencedTableName: 'shipping_method',
          referencedColumnNames: ['project_id', 'id'],
          // The default of TypeORM's relations, but not of MariaDB.
          onDelete: 'NO ACTION',
          onUpdate: 'NO ACTION',
        },
      ],
      // The database looks here for the orders of a method that is to be deleted.
      indices: [{ name: 'ix_desk_order_method', columnNames: ['project_id', 'method_id'] }],
    });
    await runner.createTable(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('desk_order');
  }
}
