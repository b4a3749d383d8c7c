import { scenarios } from '../scenarios.mjs';

const parts = {
  postgres: ['On PostgreSQL', 'Requests a second, as a multiple of the rival’s in the same round.'],
  mariadb: ['On MariaDB', 'The same for a few requests.'],
  import: [
    'An import',
    '`upsertMany` of the real methods in one process, beside as many single writes, one after another: `save` of TypeORM, or our `upsert`.',
  ],
  memory: [
    'Memory of the cache',
    'In a process that has cached 500 projects of 50 methods, for each method.',
  ],
};

/** The text of docs/performance.md. @param results by part, with the rows and the run of each */
export function document(results) {
  const sections = Object.keys(parts).flatMap((part) =>
    results[part]?.rows.length > 0 ? section(part, results[part]) : [],
  );
  return [
    '# Performance',
    whatToExpect(results.postgres.rows),
    measured(results.postgres),
    '![Requests a second beside bare Fastify with pg and beside TypeORM by hand](performance.svg)',
    howToRead,
    ...sections,
    notMeasured,
  ].join('\n\n');
}

function measured({ command, commit, date, load, machine }) {
  return `\`${command}\` made this page at ${commit}, ${date}, on ${machine}; the load before was ${load}. \`bench/README.md\` says how it measures. Another machine has other figures, so compare ratios.`;
}

/** Three sentences for a team that would write it by hand. */
function whatToExpect(rows) {
  const over = (scenario, rival = 'naive') =>
    rows.find((row) => row.title === scenarios[scenario].title && row.rival === rival).ours;
  return [
    `A list of a shop that has not changed answers ${over('list20')} times as many requests a second as TypeORM by hand, and its tree ${over('tree')} times.`,
    `A list that is not in the cache answers ${over('list20coldSmall')} times as many in a shop of 20 methods, and ${over('list20cold')} times in a shop of 100, because the whole shop is read.`,
    `Writes run at ${over('create')} (creates) and ${over('update')} times (updates) the rate of TypeORM by hand, which keeps no revision, and at ${over('create', 'bare')} and ${over('update', 'bare')} of hand-written SQL.`,
  ].join(' ');
}

function section(part, { rows, server }) {
  const [title, explanation] = parts[part];
  return [`## ${title}`, `${server}. ${explanation}`, table(rows)];
}

/** A line for each figure, a column for each rival. */
function table(rows) {
  const rivals = Object.keys(columnOf).filter((rival) => rows.some((row) => row.rival === rival));
  const names = [...new Set(rivals.map((rival) => columnOf[rival]))];
  const hasCpu = rows.some(({ cpu }) => cpu !== '');
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const figures = [...new Set(rows.map(({ title }) => title))].map((title) => {
    const own = rows.filter((row) => row.title === title);
    const cells = names.map((name) => own.filter(({ rival }) => columnOf[rival] === name).map(cell));
    const cpu = own.filter(({ rival }) => rival === 'bare' || rival === 'naive').map((row) => row.cpu);
    return line([title, ...cells.map(String), ...(hasCpu ? [cpu.filter(Boolean).join(', ')] : [])]);
  });
  const head = ['', ...names, ...(hasCpu ? ['by CPU time'] : [])];
  return [line(head), line(head.map(() => '---')), ...figures].join('\n');
}

const columnOf = {
  '': '',
  bare: 'bare',
  naive: 'naive',
  express: 'another',
  paginate: 'another',
  '`upsert`': '`upsert`',
};

function cell({ rival, ours, spread, goal, verdict }) {
  const name = columnOf[rival] === 'another' ? `${rival}: ` : '';
  const range = spread && ` (${spread})`;
  return `${name}${ours}${range}${goal && `, ${goal}`}${verdict === 'MISSED' ? ' **missed**' : ''}`;
}

const howToRead = `## How to read it

- **bare** is Fastify and the driver: one prepared statement for each request, a pool of 10, no validation, no revision.
- **naive** is what a team writes by hand: Nest on Fastify, TypeORM, class-validator. **express** is the same on Express, **paginate** is nestjs-paginate.
- **warm**: requests for 100 busy shops of 100 methods. The process sends JSON from its cache, after it has checked in the database that nothing changed. **cold**: the project is not in the cache. A warm read leaves most of the work out: look at both rows.
- A cell has the median of the rounds, then the lowest and the highest, then the goal.
- **by CPU time**: the CPU time of a request, server and database, with bare and naive, divided by ours.
- **missed**: this run did not reach the goal. A write sends four statements, as \`save\` of TypeORM does, checks more and keeps the revision. Bare prepares its statements; TypeORM does not. A project that is not cached is read whole.`;

const notMeasured = `## What is not measured

Networks (everything runs on one machine, the load generator too), several processes, TLS, logging and guards.`;
