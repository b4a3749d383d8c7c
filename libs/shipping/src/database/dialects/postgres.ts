import { Logger } from '@nestjs/common';
import { type DataSource } from 'typeorm';
import { type Dialect, ownDataSourceRemedy, quotedPath } from './dialect.js';

export const postgres: Dialect = {
  types: ['postgres'],
  hasOneConnection: false,
  readsFromSnapshot: false,
  failureEndsTransaction: true,
  lostRaceEndsTransaction: false,
  levelOfRetries: 'READ COMMITTED',
  now: 'statement_timestamp()',
  timeColumn: (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  // Citus accepts only immutable functions in RETURNING, and `to_char` is not one of them.
  returnedTime: (column) =>
    `CAST(CAST(EXTRACT(EPOCH FROM ${column} AT TIME ZONE 'UTC') * 1000 AS bigint) AS text)`,
  // It is text, because the host may have parsers of its own for other types. Our varchars have the collation C. With a
  // collation other than the default one, a join of Citus forgets the cast and fails
  // (https://github.com/citusdata/citus/issues/8469).
  valueColumn: (column) => `CAST(${column} AS text) COLLATE "default"`,
  timeParameter: (time) => time,
  ifAbsent: (insert) => insert.orIgnore(),
  shareLock: ' FOR SHARE',
  errorCodes: {
    '40001': 'race', // serialization failure
    '40P01': 'race', // deadlock
    '55P03': 'lock', // the lock is not available
    '53*': 'refused', // too few resources: connections, memory, disk
    '57014': 'refused', // the statement was cancelled, or took too long
    '57P03': 'refused', // the server starts or stops
    '25006': 'refused', // the server is a standby, or the transaction is read-only
    '28*': 'refusedWhenConnecting', // the role or its password is wrong
    '3D000': 'refusedWhenConnecting', // the database does not exist
    '42501': 'refusedWhenConnecting', // the role may not connect
    '55000': 'refusedWhenConnecting', // the database accepts no connections
    // PgBouncer reports this code for each of its errors. With these messages, it has sent nothing to the server.
    '08P01 server login has been failing*': 'refused',
    '08P01 pgbouncer cannot connect to server*': 'refused',
    '08P01 query_wait_timeout*': 'refused',
    '08P01 no more connections allowed*': 'refused',
    '08*': 'broken', // connection exception
    '25P03': 'broken', // the transaction was idle for too long
    '25P04': 'broken', // the transaction took too long
    '57P01': 'broken', // the connection was terminated
    '57P02': 'broken', // the server crashed
    '57P04': 'broken', // the database was dropped
    '57P05': 'broken', // the session was idle for too long
    // Citus reports the loss of a node with the code of an internal error.
    'XX000 server closed the connection unexpectedly*': 'broken',
    'XX000 SSL *': 'broken',
    'XX000 could not receive data from server*': 'broken',
    'XX000 could not send data to server*': 'broken',
    'XX000 failure on connection marked as essential*': 'broken',
    'XX000 execution cannot recover from multiple connection failures*': 'broken',
    'XX000 postmaster was shut down*': 'broken',
    'XX000 failed to prepare transaction*': 'broken',
    'XX000 could not commit transaction for shard*': 'openCommit',
    // Citus has divided a shard of the statement meanwhile.
    'XX000 could not find valid entry for shard*': 'race',
    '23505': 'duplicate', // unique violation
    '23503': 'foreignKey', // foreign key violation
    '23001': 'foreignKey', // restrict violation
  },
  errorMessages: {
    'Client has encountered a connection error and is not queryable': 'refused',
    'Client was closed and is not queryable': 'refused',
    'timeout exceeded when trying to connect': 'refused',
    'Cannot use a pool after calling end': 'refused',
    'The server does not support SSL connections': 'refused',
    'There was an error establishing an SSL connection': 'refused',
    'Connection terminated': 'broken',
    'PGlite is closed': 'broken',
    'PGlite is closing': 'broken',
  },
  adaptEntity(metadata) {
    for (const column of metadata.ownColumns) {
      if (column.type === Boolean) column.type = 'boolean';
      if (column.type === Date) column.type = 'timestamptz';
      if (column.type === 'simple-json') column.type = 'jsonb';
    }
    // The other engines need an index on a numbered column.
    metadata.indices = metadata.indices.filter(
      ({ columns }) => columns.length > 1 || String(columns[0]?.generationStrategy) !== 'identity',
    );
  },
  async checkDatabase(dataSource, tablePaths) {
    await refuseQueryTimeout(dataSource);
    await refuseEncoding(dataSource);
    await checkRights(dataSource, tablePaths);
  },
};

async function refuseEncoding(dataSource: DataSource): Promise<void> {
  const [found] = await dataSource.query<{ encoding: string }[]>(
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  if (found?.encoding === 'UTF8') return;
  throw new Error(
    `The database has the encoding ${found?.encoding}. nestjs-shipping needs a database with the encoding UTF8. Create one:\n` +
      `  CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0\n` +
      'Move your tables into it with pg_dump. Or give ShippingModule a DataSource of its own with the new database: ' +
      "ShippingModule.forRoot({ dataSource: 'name' }).",
  );
}

const rightsRemedy = 'Grant the role the rights in docs/dba.md.';

/**
 * Warns of row-level security. It is no error: whether the policies show the role all rows, only a person can tell.
 * @throws Error that names the remedy, when the role may not use the schema or read a table
 */
async function checkRights(dataSource: DataSource, tablePaths: readonly string[]): Promise<void> {
  const tables = await dataSource
    .query<{ name: string; state: string | null }[]>(
      `SELECT name, CASE
         WHEN NOT has_any_column_privilege(to_regclass(name), 'SELECT') THEN 'unreadable'
         WHEN row_security_active(to_regclass(name)) THEN 'filtered'
       END AS state FROM unnest($1::text[]) AS name`,
      [tablePaths.map((path) => quotedPath(dataSource, path))],
    )
    .catch((error: Error & { code?: unknown }) => {
      const isSchemaDenied = error.code === '42501';
      throw isSchemaDenied ? new Error(`${error.message}. ${rightsRemedy}`, { cause: error }) : error;
    });
  const namesOf = (state: string): string[] =>
    tables.filter((each) => each.state === state).map(({ name }) => name);
  const [unreadable, filtered] = [namesOf('unreadable'), namesOf('filtered')];
  if (unreadable.length > 0)
    throw new Error(
      `The database has ${unreadable.join(', ')}, but the role of the DataSource may not read it. ${rightsRemedy}`,
    );
  if (filtered.length > 0)
    new Logger('ShippingModule').warn(
      `Row-level security is active on ${filtered.join(', ')} for the role of the DataSource. If a policy hides a row, ` +
        'reads do not return it and removals do not remove it, and no call fails. Set the policies up as ' +
        'docs/dba.md#row-level-security shows.',
    );
}

/**
 * With this setting, pg stops waiting for a statement that the server still runs. TypeORM's ROLLBACK is queued behind
 * it and never sent. The connection returns to the pool inside an open transaction.
 */
async function refuseQueryTimeout(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner('master');
  const client: { connectionParameters?: { query_timeout?: unknown } } = await runner
    .connect()
    .finally(() => runner.release());
  if (client.connectionParameters?.query_timeout)
    throw new Error(
      'The DataSource has the setting query_timeout of pg. With it, a connection may go back to the pool inside an open ' +
        'transaction, and acknowledged rows of other requests are rolled back later. Remove it, and set statement_timeout in ' +
        `its place: the server then ends the statement. ${ownDataSourceRemedy}`,
    );
}
