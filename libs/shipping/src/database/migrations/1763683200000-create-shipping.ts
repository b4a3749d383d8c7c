import {
  type DataSource,
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumnOptions,
} from 'typeorm';

// A migration shares no constant with other code, because that code will change and a migration must not.

/** The column types of an engine. An empty object stands for the engine's default. */
interface Types {
  /** Compares texts by code point. A trailing blank counts. */
  text: Partial<TableColumnOptions>;
  uuid: Partial<TableColumnOptions>;
  boolean: string;
  time: Partial<TableColumnOptions>;
  json: Partial<TableColumnOptions>;
  /** The number of an event. */
  seq: Partial<TableColumnOptions>;
}

const postgres: Types = {
  text: { collation: 'C' },
  uuid: { type: 'uuid' },
  boolean: 'boolean',
  time: { type: 'timestamp with time zone', precision: 3 },
  json: { type: 'jsonb' },
  seq: { isGenerated: true, generationStrategy: 'identity', generatedIdentity: 'ALWAYS' },
};

const mysqlTypes = (text: Types['text']): Types => ({
  text,
  uuid: { type: 'char', length: '36', charset: 'ascii', collation: 'ascii_bin' },
  boolean: 'tinyint',
  time: { type: 'datetime', precision: 3 },
  json: { type: 'text', ...text },
  seq: { isGenerated: true, generationStrategy: 'increment' },
});

const engines: Record<string, Types> = {
  postgres,
  mariadb: mysqlTypes({ charset: 'utf8mb4', collation: 'utf8mb4_nopad_bin' }),
  mysql: mysqlTypes({ charset: 'utf8mb4', collation: 'utf8mb4_0900_bin' }),
  'better-sqlite3': {
    text: {},
    uuid: { type: 'varchar', length: '36' },
    boolean: 'boolean',
    time: { type: 'datetime' },
    json: { type: 'text' },
    seq: {},
  },
};

const key = (column: TableColumnOptions, primaryKeyConstraintName: string): TableColumnOptions => ({
  ...column,
  isPrimary: true,
  primaryKeyConstraintName,
});

export class CreateShipping implements MigrationInterface {
  name = 'NestjsShippingCreate1763683200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables(runner, await typesOf(runner))) await runner.createTable(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The table of methods is dropped first. If your foreign key refers to it, the database refuses, and nothing has
    // been dropped.
    for (const table of tables(runner, await typesOf(runner))) {
      // TypeORM would drop the index of the numbered column first, which these servers refuse.
      const dataSource = runner.connection;
      if (isMysqlFamily(dataSource)) await runner.query(`DROP TABLE ${dataSource.driver.escape(table.name)}`);
      else await runner.dropTable(table);
    }
  }
}

function isMysqlFamily({ options }: DataSource): boolean {
  return /^(mariadb|mysql)$/.test(options.type);
}

/** @throws Error that names the remedy */
async function typesOf(runner: QueryRunner): Promise<Types> {
  const dataSource = runner.connection;
  const { type } = dataSource.options;
  let engine: string = type;
  if (isMysqlFamily(dataSource)) {
    // A DataSource of type `mysql` may have a server of MariaDB.
    const [server]: { version: string }[] = await runner.query('SELECT VERSION() AS version');
    engine = server?.version.includes('MariaDB') ? 'mariadb' : 'mysql';
    if (type === 'mariadb' && engine === 'mysql')
      throw new Error(
        `The server is MySQL ${server?.version}, but the DataSource has the type "mariadb". Give it the type "mysql".`,
      );
  }
  const types = engines[engine];
  if (!types) throw new Error(`nestjs-shipping has no tables for a DataSource of type "${type}".`);
  return types;
}

/** On MariaDB and MySQL, TypeORM makes an index of a unique constraint, and no checks and no conditions of an index. */
function tables(runner: QueryRunner, types: Types): Table[] {
  const dataSource = runner.connection;
  const { namingStrategy, options } = dataSource;
  const isPostgres = options.type === 'postgres';
  const text = (name: string, length: number, isNullable = false): TableColumnOptions => ({
    name,
    type: 'varchar',
    length: String(length),
    ...types.text,
    isNullable,
  });
  const uuid = (name: string): TableColumnOptions => ({ name, type: 'uuid', ...types.uuid });
  const time = (name: string): TableColumnOptions => ({ name, type: 'datetime', ...types.time });
  const json = (name: string, isNullable = false): TableColumnOptions => ({
    name,
    type: 'text',
    ...types.json,
    isNullable,
  });
  const prefixed = (name: string): string => `${options.entityPrefix ?? ''}${name}`;
  // The host's DataSource may change names and add a prefix. TypeORM adds the schema.
  const path = (entity: string, name: string): string => {
    const named = namingStrategy.tableName(entity, name);
    return options.entityPrefix ? namingStrategy.prefixTableName(options.entityPrefix, named) : named;
  };
  return [
    new Table({
      name: path('ShippingMethod', 'shipping_method'),
      columns: [
        key(text('project_id', 64), prefixed('pk_shipping_method')),
        key(uuid('id'), prefixed('pk_shipping_method')),
        text('carrier_code', 64),
        text('carrier_label', 255, true),
        text('method_code', 128),
        text('method_label', 255),
        { name: 'is_active', type: types.boolean },
        { name: 'sort_order', type: 'integer' },
        json('meta'),
        { name: 'use_default', type: 'text', ...types.text },
        { name: 'version', type: 'integer' },
        time('created_at'),
        time('updated_at'),
      ],
      uniques: [
        {
          name: prefixed('uq_shipping_method_codes'),
          columnNames: ['project_id', 'carrier_code', 'method_code'],
        },
      ],
      checks: [
        {
          name: prefixed('ck_shipping_method_codes'),
          expression: `carrier_code <> '' AND method_code <> ''`,
        },
        { name: prefixed('ck_shipping_method_version'), expression: 'version >= 1' },
        ...(isPostgres
          ? [{ name: prefixed('ck_shipping_method_meta'), expression: `jsonb_typeof(meta) = 'object'` }]
          : []),
      ],
    }),
    new Table({
      name: path('ShippingProject', 'shipping_project'),
      columns: [key(text('project_id', 64), prefixed('pk_shipping_project')), uuid('revision')],
    }),
    new Table({
      name: path('OrderEvent', 'shipping_order_event'),
      columns: [
        key(text('project_id', 64), prefixed('pk_shipping_order_event')),
        key(text('order_id', 64), prefixed('pk_shipping_order_event')),
        key(time('occurred_at'), prefixed('pk_shipping_order_event')),
        key({ name: 'seq', type: 'bigint', ...types.seq }, prefixed('pk_shipping_order_event')),
        uuid('id'),
        text('type', 64),
        text('message', 4000, true),
        json('data'),
        json('actor', true),
        text('dedupe_key', 128, true),
        time('recorded_at'),
      ],
      indices: [
        {
          name: prefixed('uq_shipping_order_event_dedupe_key'),
          columnNames: ['project_id', 'order_id', 'dedupe_key'],
          isUnique: true,
          where: 'dedupe_key IS NOT NULL',
        },
        // If it were unique, MariaDB and MySQL could not partition the table by `project_id`.
        ...(isPostgres ? [] : [{ name: prefixed('ix_shipping_order_event_seq'), columnNames: ['seq'] }]),
      ],
    }),
  ];
}
