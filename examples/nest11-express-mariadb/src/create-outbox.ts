import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';

export class CreateOutbox implements MigrationInterface {
  name = 'ShopCreateOutbox1763683400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'outbox',
        columns: [
          {
            name: 'id',
            type: 'integer',
            isPrimary: true,
            isGenerated: true,
            generationStrategy: 'increment',
          },
          { name: 'type', type: 'varchar', length: '64' },
          { name: 'body', type: 'text' },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('outbox');
  }
}
