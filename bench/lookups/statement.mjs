import { readFileSync } from 'node:fs';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { cpuSeconds } from '../cpu.mjs';
import { onExit } from '../processes.mjs';
import { median, printRows } from '../report/rows.mjs';
import { cost, whole } from './format.mjs';

const projects = 10_000;
const batches = [1, 4, 16, 64];
const clients = 4;

/** How far apart two projects of a look-up are. It has no factor in common with their number. */
const step = 7919;

export const named = (number) => `lookup-${String(number).padStart(5, '0')}`;

/** A connection of the engine with `query` for any statement and `lookUp` for the library's statement. */
export const connectors = {
  async postgres(url) {
    const lookUp = postgresLookUp();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onExit(() => client.end());
    return {
      query: (sql, values) => client.query(sql, values).then(({ rows }) => rows),
      lookUp: (ids) => client.query({ ...lookUp, values: ['default', ids] }).then(({ rows }) => rows),
    };
  },
  async mariadb(url) {
    const client = await mysql.createConnection({ uri: url, charset: 'utf8mb4' });
    onExit(() => client.end());
    return {
      query: (sql, values) => client.query(sql, values).then(([rows]) => rows),
      lookUp: (ids) => client.execute(mariadbLookUp(ids.length), ['default', ...ids]).then(([rows]) => rows),
    };
  },
};

/** From the file that a test compares with what PostgreSQL gets. */
function postgresLookUp() {
  const file = new URL('../../test/postgres/statements.sql', import.meta.url);
  const [, text] = /-- a page from the cache\n(.*?);\n/s.exec(readFileSync(file, 'utf8'));
  return { name: 'revisions', text };
}

/** As `revisions` of the library's `SqlMethods`. */
function mariadbLookUp(count) {
  return `SELECT CONCAT(p.project_id) AS project_id, CONCAT_WS('.', 'format', p.revision,
      CASE WHEN p.followers > 0 THEN COALESCE(CAST(d.revision AS char(36)), 'none') END) AS revision
    FROM shipping_project AS p LEFT JOIN shipping_project AS d ON d.project_id = ?
    WHERE p.project_id IN (${Array.from({ length: count }, () => '?').join(', ')})`;
}

/** Every second project uses defaults. */
export async function addProjects({ query }) {
  const rest = `'01234567-89ab-4def-8123-456789abcdef', 100`;
  const rows = Array.from(
    { length: projects },
    (_, number) => `('${named(number)}', ${rest}, ${number % 2})`,
  );
  rows.push(`('default', ${rest}, 0)`);
  await query(
    `INSERT INTO shipping_project (project_id, revision, methods, followers) VALUES ${rows.join(', ')}`,
  );
}

/** Measures the statement alone, for some numbers of projects. */
export async function measureStatement({ database, connect, rounds, seconds }) {
  const connections = await Promise.all(Array.from({ length: clients }, () => connect(database.url)));
  const measured = [];
  for (let round = 0; round <= rounds; round++) {
    const order = round % 2 === 0 ? batches : batches.toReversed();
    const results = {};
    for (const batch of order) results[batch] = await lookUps(connections, database.pid, batch, seconds);
    // The first round warms up.
    if (round > 0) measured.push(results);
  }
  printRows(
    batches.map((batch) => rowOf(batch, measured)),
    {
      batch: 'projects in a look-up',
      cpu: 'CPU of the database',
      spread: 'spread',
      perCore: 'look-ups a second per core',
      found: 'projects a second per core',
      rate: `look-ups a second by ${clients} clients here`,
    },
  );
}

/**
 * Each connection sends one look-up after another.
 * @param pid the process of the database
 */
export async function lookUps(connections, pid, batch, seconds) {
  let done = 0;
  const cpuBefore = cpuSeconds(pid);
  const begun = performance.now();
  const end = begun + seconds * 1000;
  await Promise.all(
    connections.map(async ({ lookUp }, index) => {
      let next = index * 1000;
      while (performance.now() < end) {
        const ids = Array.from({ length: batch }, () => named((next += step) % projects));
        const rows = await lookUp(ids);
        if (rows.length !== batch) throw new Error(`${rows.length} of ${batch} projects were found.`);
        done++;
      }
    }),
  );
  const rate = (done * 1000) / (performance.now() - begun);
  return { rate, cpu: (cpuSeconds(pid) - cpuBefore) / done };
}

function rowOf(batch, rounds) {
  const of = (key) => rounds.map((round) => round[batch][key]);
  const cpu = median(of('cpu'));
  return {
    batch: String(batch),
    ...cost('cpu', of('cpu')),
    perCore: whole(1 / cpu),
    found: whole(batch / cpu),
    rate: whole(median(of('rate'))),
  };
}
