import { readFileSync } from 'node:fs';

/** Divides the tables of a filled database into the hash partitions of docs/scaling.md. */
export async function partitioned(database) {
  const sql = readFileSync(new URL('../../docs/scaling/hash-partitions.sql', import.meta.url), 'utf8');
  const connection = await database.connect();
  for (const statement of [sql, database.analyze]) await connection.query(statement);
  await connection.end();
}
