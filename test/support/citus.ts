import { shippingEntities } from 'nestjs-shipping';
import { type DataSource, type EntityManager } from 'typeorm';

/** How many shards each of our tables gets. Undefined if the server is not the coordinator of Citus. */
const shards = process.env['TEST_CITUS_SHARDS'];
export const isCitus = shards !== undefined;

/**
 * Spreads the tables of the library over the workers, as far as the migrations have made them. Tables of the host that
 * have `project_id` in their primary keys follow, so that they can refer to ours.
 */
export async function distributeTables({ manager, entityMetadatas }: DataSource): Promise<void> {
  if (!isCitus) return;
  const isOurs = (target: unknown): boolean => (shippingEntities as unknown[]).includes(target);
  const names = entityMetadatas
    .filter(({ primaryColumns }) => primaryColumns.some(({ databaseName }) => databaseName === 'project_id'))
    .toSorted((a, b) => Number(isOurs(b.target)) - Number(isOurs(a.target)))
    .map(({ tablePath }) => tablePath);
  // A database that a test has created has no extension.
  const made = await manager.query<{ name: string }[]>(
    `SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS each (name, place)
     WHERE to_regclass(name) IS NOT NULL AND to_regproc('create_reference_table') IS NOT NULL ORDER BY place`,
    [[...new Set(names)]],
  );
  const [first, ...others] = made.map(({ name }) => name);
  if (first === undefined) return;
  await manager.query(
    `SELECT create_distributed_table($1, 'project_id', shard_count => $2, colocate_with => 'none')`,
    [first, shards],
  );
  for (const name of others) await distribute(manager, name, first);
}

/** Puts the rows of a table beside those of another one. */
export async function distribute(manager: EntityManager, table: string, beside: string): Promise<void> {
  if (isCitus)
    await manager.query(`SELECT create_distributed_table($1, 'project_id', colocate_with => $2)`, [
      table,
      beside,
    ]);
}

/** Copies a table to each worker, so that distributed tables can refer to it. */
export async function replicate(manager: EntityManager, table: string): Promise<void> {
  if (isCitus) await manager.query('SELECT create_reference_table($1)', [table]);
}

/** On Citus, a statement waits on a worker. This finds the session on the coordinator. */
export const waiterOnWorker = `SELECT citus_pid_for_gpid(waiting_gpid) AS pid FROM citus_lock_waits
  WHERE blocking_gpid = citus_backend_gpid()`;
