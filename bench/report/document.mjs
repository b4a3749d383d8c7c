import { scenarios } from '../scenarios.mjs';
import { columns } from './rows.mjs';

const parts = {
  postgres: ['On PostgreSQL', 'Requests a second, as a multiple of the rival’s in the same round.'],
  mariadb: ['On MariaDB', 'The same for a few requests.'],
  import: [
    'An import',
    '`upsertMany` of the real methods in one process, beside as many single writes, one after another: `save` of TypeORM, or our `upsert`.',
  ],
  memory: ['Memory of the cache', 'In a process that has cached the projects, for each of their methods.'],
};

/** The text of docs/performance.md. @param results by part, with the rows and the run of each */
export function document(results) {
  const sections = Object.keys(parts).flatMap((part) =>
    results[part]?.rows.length > 0 ? section(part, results[part]) : [],
  );
  return [
    '# Performance',
    whatToExpect(results.postgres.rows),
    '`npm run bench -- --all --write` makes this page. `bench/README.md` says how it measures. Another machine has other figures, so compare ratios.',
    '![Requests a second beside bare Fastify with pg and beside TypeORM by hand](performance.svg)',
    howToRead,
    ...sections,
    notMeasured,
  ].join('\n\n');
}

/** Three sentences for a team that would write it by hand. */
function whatToExpect(rows) {
  const over = (scenario, rival = 'naive') =>
    rows.find((row) => row.title === scenarios[scenario].title && row.rival === rival).ours;
  return [
    `A list of a shop that has not changed takes ${over('list20')} times as many requests a second as TypeORM by hand, and its tree ${over('tree')} times.`,
    `A list that is not in the cache takes ${over('list20coldSmall')} times as many in a shop of 20 methods, and ${over('list20cold')} times in a shop of 100, because the whole shop is read.`,
    `Writes run at ${over('create')} (creates) and ${over('update')} times (updates) the rate of TypeORM by hand, which keeps no revision, and at ${over('create', 'bare')} and ${over('update', 'bare')} of hand-written SQL.`,
  ].join(' ');
}

function section(part, { rows, command, commit, date, load, machine, server }) {
  const [title, explanation] = parts[part];
  const keys = Object.keys(columns).filter((key) => rows.some((row) => row[key] !== ''));
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [
    line(keys.map((key) => columns[key])),
    line(keys.map(() => '---')),
    ...rows.map((row) => line(keys.map((key) => row[key].replace('MISSED', '**MISSED**')))),
  ];
  const run = `\`${command}\` at ${commit}, ${date}, on ${machine}, ${server}; the load before was ${load}.`;
  return [`## ${title}`, explanation, table.join('\n'), run];
}

const howToRead = `## How to read it

- **bare** is Fastify and the driver: one prepared statement for each request, a pool of 10, no validation, no revision.
- **naive** is what a team writes by hand: Nest on Fastify, TypeORM, class-validator. **express** is the same on Express, **paginate** is nestjs-paginate.
- **warm**: requests for 100 busy shops of 100 methods. The process sends JSON from its cache, after it has checked in the database that nothing changed. **cold**: the project is not in the cache. Read both rows, because a warm read is fast by not doing the work.
- **ours**: the median of the rounds; **spread**: the lowest and the highest.
- **by CPU time**: how much less CPU time a request needs, in the server and in PostgreSQL together. This ratio holds even when the machine is busy with something else.
- **MISSED**: this run did not reach the goal.`;

const notMeasured = `## What is not measured

Networks: everything runs on one machine, the load generator too. More than one process of a server. TLS, logging and guards. The test campaign checks that no read is stale.`;
