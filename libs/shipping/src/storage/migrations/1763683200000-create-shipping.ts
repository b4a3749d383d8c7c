import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from 'typeorm';

// A migration is history: it spells everything out and shares no constant with the code that goes on changing.

const text = (name: string, length: number, isNullable = false): TableColumnOptions => ({
  name,
  type: 'varchar',
  length: String(length),
  collation: 'C',
  isNullable,
});

const key = (column: TableColumnOptions, primaryKeyConstraintName: string): TableColumnOptions => ({
  ...column,
  isPrimary: true,
  primaryKeyConstraintName,
});

const time = (name: string): TableColumnOptions => ({ name, type: 'timestamp with time zone', precision: 3 });

export class CreateShipping implements MigrationInterface {
  name = 'NestjsShippingCreate1763683200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables(runner)) await runner.createTable(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables(runner).toReversed()) await runner.dropTable(table);
  }
}

function tables(runner: QueryRunner): Table[] {
  const { namingStrategy, options } = runner.connection;
  // The host's prefix; its schema TypeORM adds by itself.
  const path = (name: string): string =>
    options.entityPrefix ? namingStrategy.prefixTableName(options.entityPrefix, name) : name;
  return [
    new Table({
      name: path('shipping_project'),
      columns: [
        key(text('project_id', 64), 'pk_shipping_project'),
        { name: 'revision', type: 'uuid' },
        { name: 'methods', type: 'integer' },
        { name: 'followers', type: 'integer' },
      ],
    }),
    new Table({
      name: path('shipping_method'),
      columns: [
        key(text('project_id', 64), 'pk_shipping_method'),
        key({ name: 'id', type: 'uuid' }, 'pk_shipping_method'),
        text('carrier_code', 64),
        text('carrier_label', 255, true),
        text('method_code', 128),
        text('method_label', 255),
        { name: 'is_active', type: 'boolean' },
        { name: 'sort_order', type: 'integer' },
        { name: 'meta', type: 'jsonb' },
        { name: 'use_default', type: 'boolean' },
        { name: 'search_text', type: 'text', collation: 'C' },
        { name: 'version', type: 'integer' },
        time('created_at'),
        time('updated_at'),
      ],
      uniques: [
        { name: 'uq_shipping_method_codes', columnNames: ['project_id', 'carrier_code', 'method_code'] },
      ],
      indices: [
        {
          name: 'ix_shipping_method_order',
          columnNames: ['project_id', 'sort_order', 'carrier_code', 'method_code'],
        },
      ],
      checks: [
        { name: 'ck_shipping_method_codes', expression: `carrier_code <> '' AND method_code <> ''` },
        { name: 'ck_shipping_method_meta', expression: `jsonb_typeof(meta) = 'object'` },
        { name: 'ck_shipping_method_version', expression: 'version >= 1' },
      ],
    }),
    new Table({
      name: path('shipping_order_event'),
      columns: [
        key(text('project_id', 64), 'pk_shipping_order_event'),
        key(text('order_id', 64), 'pk_shipping_order_event'),
        key(time('occurred_at'), 'pk_shipping_order_event'),
        key(
          {
            name: 'seq',
            type: 'bigint',
            isGenerated: true,
            generationStrategy: 'identity',
            generatedIdentity: 'ALWAYS',
          },
          'pk_shipping_order_event',
        ),
        { name: 'id', type: 'uuid' },
        text('type', 64),
        text('message', 1000, true),
        { name: 'data', type: 'jsonb' },
        { name: 'actor', type: 'jsonb', isNullable: true },
        text('dedupe_key', 128, true),
        time('recorded_at'),
      ],
      indices: [
        {
          name: 'uq_shipping_order_event_dedupe_key',
          columnNames: ['project_id', 'order_id', 'dedupe_key'],
          isUnique: true,
          where: 'dedupe_key IS NOT NULL',
        },
      ],
    }),
  ];
}
