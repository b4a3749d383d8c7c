import { readFileSync } from 'node:fs';
import { start } from './contenders.mjs';
import { newDatabase } from './databases.mjs';
import { stop } from './processes.mjs';

const sqlOf = (form) => readFileSync(new URL(`../../docs/scaling/${form}.sql`, import.meta.url), 'utf8');

/**
 * Changes the tables of a filled database into a form of docs/scaling.md. The shards are other databases on the same
 * server.
 */
export async function scaled(database, form) {
  const shards = [];
  if (form === 'shards') {
    for (const number of [0, 1]) {
      const shard = await newDatabase('postgres', `shard_${number}`);
      const { child } = await start('ours', shard);
      await stop(child);
      await run(shard, sqlOf('hash-partitions'));
      shards.push(shard);
    }
  }
  await run(database, withPlaces(sqlOf(form), shards));
  for (const each of [database, ...shards]) await run(each, database.analyze);
  if (form === 'shards') await run(database, 'ANALYZE');
  const all = [database, ...shards];
  return { ...database, pids: async () => (await Promise.all(all.map((each) => each.pids()))).flat() };
}

async function run(database, ...statements) {
  const connection = await database.connect();
  for (const statement of statements) await connection.query(statement);
  await connection.end();
}

function withPlaces(sql, shards) {
  return sql
    .replace(/host 'shard(\d)\.example', port '5432', dbname 'shipping'/g, (_place, number) => {
      const { hostname, port, pathname } = new URL(shards[number].url);
      return `host '${hostname}', port '${port || 5432}', dbname '${pathname.slice(1)}'`;
    })
    .replace(`user ''shop'', password ''secret''`, `user ''postgres''`);
}
