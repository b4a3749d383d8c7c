import { type DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { engineOf } from './engine.js';

/** @throws Error that names the remedy, for a database that cannot hold our data */
export async function checkDatabase(dataSource: DataSource): Promise<void> {
  const engine = engineOf(dataSource);
  if (engine === 'postgres') {
    await refuseQueryTimeout(dataSource);
    await checkEncoding(dataSource);
  } else if (engine !== 'better-sqlite3') await checkSession(dataSource);
}

/** @returns the names of the columns that the table of an entity lacks; undefined when there is no such table */
export async function missingColumns(
  dataSource: DataSource,
  entity: EntityTarget<ObjectLiteral>,
): Promise<string[] | undefined> {
  const { tablePath, ownColumns } = dataSource.getMetadata(entity);
  const runner = dataSource.createQueryRunner('master');
  try {
    if (!(await runner.hasTable(tablePath))) return undefined;
    const missing: string[] = [];
    for (const { databaseName } of ownColumns)
      if (!(await runner.hasColumn(tablePath, databaseName))) missing.push(databaseName);
    return missing;
  } finally {
    await runner.release();
  }
}

/**
 * With this setting, pg gives up a statement that the server goes on with. Behind it waits TypeORM's ROLLBACK, which pg then
 * never sends. So the connection goes back to the pool inside its transaction, and the next user of it works in there.
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
        'its place: the server then ends the statement.',
    );
}

async function checkEncoding(dataSource: DataSource): Promise<void> {
  const [found] = await dataSource.query<{ encoding: string }[]>(
    `SELECT current_setting('server_encoding') AS encoding`,
  );
  if (found?.encoding === 'UTF8') return;
  throw new Error(
    `The database has the encoding ${found?.encoding}. nestjs-shipping needs a database with the encoding UTF8. Create one:\n` +
      `  CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  );
}

/** Settings of a session under which texts are lost, reads are wrong, or a value can break out of its statement. */
const refusedSettings = [
  {
    condition:
      "Variable_name IN ('character_set_client', 'character_set_connection', 'character_set_results') AND Value <> 'utf8mb4'",
    harmAndRemedy: "With it, some characters are lost. Give the DataSource charset: 'utf8mb4'.",
  },
  {
    condition: "Variable_name LIKE 't%isolation' AND Value = 'READ-UNCOMMITTED'",
    harmAndRemedy:
      'With it, reads show changes that are rolled back later. Set READ COMMITTED or a stricter level.',
  },
  {
    condition: "Variable_name = 'sql_mode' AND Value LIKE '%NO_BACKSLASH_ESCAPES%'",
    harmAndRemedy:
      'With it, the driver cannot escape values safely. Remove NO_BACKSLASH_ESCAPES from the sql_mode.',
  },
  {
    condition: "Variable_name = 'wsrep_dirty_reads' AND Value = 'ON'",
    harmAndRemedy:
      'With it, a Galera node that is cut off from the others can answer with old data. Set it to OFF.',
  },
];

/** On a server of Galera, the first bit of `wsrep_sync_wait` makes a read wait for the commits of other nodes. */
const galeraSettings = "SHOW VARIABLES WHERE Variable_name IN ('wsrep_on', 'wsrep_sync_wait')";

async function checkSession(dataSource: DataSource): Promise<void> {
  // TypeORM 1 begins transactions at this level.
  const { isolationLevel } = dataSource.options as { isolationLevel?: string };
  if (isolationLevel === 'READ UNCOMMITTED')
    throw new Error(
      'The DataSource has isolationLevel: READ UNCOMMITTED. With it, reads show changes that are rolled back later. Set ' +
        'READ COMMITTED or a stricter level.',
    );
  for (const { condition, harmAndRemedy } of refusedSettings) {
    const [found] = await dataSource.query<Variable[]>(`SHOW VARIABLES WHERE ${condition}`);
    if (found)
      throw new Error(
        `The connection of the DataSource has ${found.Variable_name} = ${found.Value}. ${harmAndRemedy}`,
      );
  }
  const { wsrep_on: galera, wsrep_sync_wait: syncWait } = Object.fromEntries(
    (await dataSource.query<Variable[]>(galeraSettings)).map(({ Variable_name, Value }) => [
      Variable_name,
      Value,
    ]),
  );
  const doReadsWait = (Number(syncWait) & 1) === 1;
  if (galera === 'ON' && !doReadsWait)
    throw new Error(
      `The connection of the DataSource has wsrep_sync_wait = ${syncWait}. With it, a Galera node can answer with old ` +
        'data. Set it to 1 on every node.',
    );
}

interface Variable {
  Variable_name: string;
  Value: string;
}
