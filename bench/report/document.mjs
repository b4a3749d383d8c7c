import { columns } from './rows.mjs';

const likeBeside =
  'As “Beside others”, with 2,000 projects of 100 methods, each contender on the same tables and indexes. Creates are made in 1,000 projects that exist.';

/** The engines with a section of their own. */
export const otherEngines = {
  mariadb: [
    'On MariaDB',
    `${likeBeside} **bare** is Fastify and mysql2 (\`execute\`, a pool of 10). Its create is one INSERT that commits by itself, its update a SELECT and an UPDATE guarded by the version.`,
  ],
  sqlite: [
    'On SQLite',
    `${likeBeside} **bare** is Fastify and better-sqlite3 with prepared statements. All contenders use the journal mode WAL and \`synchronous=NORMAL\`.`,
  ],
};

const parts = {
  ratios: [
    'Beside others',
    'Requests a second, as a multiple of the rival’s in the same round: the median, the lowest and the highest.',
  ],
  peers: [
    'Beside platforms',
    'Our list against their own lists with as many shipping methods, through their own APIs.',
  ],
  ...otherEngines,
  scale: ['As it grows', 'How many times longer a single request takes when there is more data.'],
  memory: [
    'Memory',
    'How much memory the process needs at its peak, and the longest stall of its event loop.',
  ],
};

/** The text of docs/performance.md, from all results so far. */
export function document({ rows, machine }) {
  const all = Object.values(rows);
  return [
    '# Performance',
    '`npm run bench` makes this page. `bench/README.md` describes how it measures. Another machine has other figures, so compare ratios.',
    '![Requests a second beside bare Fastify with pg and beside TypeORM by hand](performance.svg)',
    howToRead,
    ...Object.keys(parts).flatMap((part) =>
      section(
        part,
        all.filter((row) => row.part === part),
      ),
    ),
    notMeasured,
    `## Where\n\n${machine}.`,
  ].join('\n\n');
}

function section(part, rows) {
  if (rows.length === 0) return [];
  const [title, explanation] = parts[part];
  const keys = Object.keys(columns).filter((key) => rows.some((row) => row[key] !== ''));
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const bold = (text) => (text === 'MISSED' ? '**MISSED**' : text);
  const table = [
    line(keys.map((key) => columns[key])),
    line(keys.map(() => '---')),
    ...rows.map((row) => line(keys.map((key) => bold(row[key])))),
  ];
  const runs = new Set(
    rows.map(
      ({ command, commit, date, loadBefore, server }) =>
        `\`${command}\` at ${commit}, ${date},${server ? ` ${server},` : ''} on a machine with a load of ${loadBefore} before it began`,
    ),
  );
  return [`## ${title}`, explanation, table.join('\n'), `${[...runs].join('; ')}.`];
}

const howToRead = `## How to read it

- **bare** is Fastify and pg, with one prepared statement for each request, a pool of 10 and no validation. Its list counts with \`COUNT\`, and its insert only inserts: it maintains no total and no revision. The row “with the kept total” compares with a bare one that reads the total of our writes.
- **warm**: requests for 100 busy shops. The process sends JSON from its cache, after it has checked in the database that nothing changed. **cold**: every request is for another project or page, and none of them is cached. Read both rows, because a warm read is fast by not doing the work.
- **by CPU time**: how much less CPU time a request needs, in the server and in PostgreSQL together. This ratio holds even when the machine is busy with something else.
- **MISSED**: this run did not reach the goal.`;

const notMeasured = `## What is not measured

Networks: everything runs on one machine, the load generator too. More than one process of a server. TLS, logging and guards. The test campaign checks that no read is stale.`;
