import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from 'typeorm';

export class CreateShopOrder implements MigrationInterface {
  name = 'SampleCreateShopOrder1763683300000';

  async up(runner: QueryRunner): Promise<void> {
    const methods = await runner.getTable('shipping_method');
    // The columns of a foreign key need the same types as the columns that it refers to. Each engine has its own
    // names for these types.
    const like = (column: string): Partial<TableColumnOptions> => {
      const { type, length, charset, collation } = methods?.findColumnByName(column) ?? {};
      return { type, length, charset, collation };
    };
    // An order id has the type of a project id.
    const text = like('project_id');
    const key = { isPrimary: true, primaryKeyConstraintName: 'pk_shop_order' };
    const table = new Table({
      name: 'shop_order',
      columns: [
        { name: 'project_id', type: 'varchar', ...text, ...key },
        { name: 'order_id', type: 'varchar', ...text, ...key },
        { name: 'method_id', type: 'varchar', ...like('id') },
      ],
      foreignKeys: [
        {
          name: 'fk_shop_order_method',
          columnNames: ['project_id', 'method_id'],
          referencedTableName: 'shipping_method',
          referencedColumnNames: ['project_id', 'id'],
          // This is the default of TypeORM's relations, but not of MariaDB.
          onDelete: 'NO ACTION',
          onUpdate: 'NO ACTION',
        },
      ],
      // When a method is removed, the database looks for its orders in this index.
      indices: [{ name: 'ix_shop_order_method', columnNames: ['project_id', 'method_id'] }],
    });
    await runner.createTable(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('shop_order');
  }
}
