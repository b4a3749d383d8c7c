import { scenarios } from '../scenarios.mjs';

const titleOf = (scenario) => scenarios[scenario].title;

/** The scenarios of the first table: in memory, then not in memory with 20 and with 100 methods in the project. */
const reads = {
  'a list of 20': ['list20', 'list20coldSmall', 'list20cold'],
  'a list of 20, 4 clients': ['list20few'],
  'a list with `q` and a filter that change': ['search'],
  'the tree of 100': ['tree', undefined, 'treeCold'],
};
const others = {
  'the history of an order, 20 events': 'events',
  'create a method, 16 clients, many projects': 'create',
  'create a method, 32 clients, one project': 'createOne',
  'update a method, 16 clients, many projects': 'update',
};

const details = {
  postgres: [
    'On PostgreSQL',
    'Each figure is our rate divided by the rate of the other program in the same round.',
  ],
  mariadb: ['On MariaDB', 'The table has the same columns, for some of the rows.'],
  import: [
    'An import',
    'One process calls `upsertMany`. We compare this call with single writes of the same methods, one after another: with `save` of TypeORM (naive), and with our `upsert`. Each figure is the time of the single writes divided by the time of `upsertMany`.',
  ],
  memory: [
    'Memory of the cache',
    'The table says how much memory each method takes in a process that has cached 500 projects of 50 methods.',
  ],
};

/** Returns the text of docs/performance.md. @param results the rows and the run of each part */
export function summary(results) {
  const { rows } = results.postgres;
  return [
    '# Performance',
    firstSentence(rows),
    '![Requests a second, compared with Fastify and SQL by hand, and with Nest, Fastify and TypeORM by hand](performance.svg)',
    '## Reads',
    meaningOfACell(rows),
    readsTable(rows),
    whyReads,
    '## Histories and writes',
    othersTable(rows),
    whyWrites(results),
    slowLists,
    '## How it was measured',
    measured(results.postgres),
    'Everything runs on one machine, including the load generator, without TLS, logging or guards. In the repository, `lab/bench` has all figures, and says how it measures.',
  ].join('\n\n');
}

/** Returns the text of lab/bench/figures.md. @param results as in `summary` */
export function figures(results) {
  return [
    '# All figures of the last run',
    measured(results.postgres),
    howToRead,
    ...Object.keys(details).flatMap((part) =>
      results[part]?.rows.length > 0 ? section(part, results[part]) : [],
    ),
  ].join('\n\n');
}

const line = (cells) => `| ${cells.join(' | ')} |`;
const tableOf = (head, lines) => [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n');

function ratio(rows, scenario, rival) {
  return rows.find((row) => row.title === titleOf(scenario) && row.rival === rival)?.ours ?? '–';
}

function readsTable(rows) {
  const both = (scenario) =>
    scenario ? `${ratio(rows, scenario, 'naive')} (${ratio(rows, scenario, 'bare')})` : '';
  const lines = Object.entries(reads).map(([name, [warm, small, large]]) => [
    name,
    ...[warm, small, large].map(both),
  ]);
  return tableOf(['', 'in memory', 'not in memory, 20 methods', 'not in memory, 100 methods'], lines);
}

function othersTable(rows) {
  const lines = Object.entries(others).map(([name, scenario]) => [
    name,
    ratio(rows, scenario, 'naive'),
    ratio(rows, scenario, 'bare'),
  ]);
  return tableOf(
    ['', 'compared with Nest, Fastify and TypeORM by hand', 'compared with Fastify and SQL by hand'],
    lines,
  );
}

function firstSentence(rows) {
  const bare = (scenario) => ratio(rows, scenario, 'bare');
  return `Is it fast enough? Compared with Fastify and SQL by hand, a list from memory is ${bare('list20')} times as fast with 64 clients and ${bare('list20few')} times with 4, a first read ${bare('list20cold')} to ${bare('treeCold')} times, the history of an order ${bare('events')} times, and a create ${bare('createOne')} to ${bare('create')} times.`;
}

function meaningOfACell(rows) {
  const naive = ratio(rows, 'list20', 'naive');
  return `"${naive} (${ratio(rows, 'list20', 'bare')})" means: while **Nest, Fastify and TypeORM by hand** serve one request, we serve ${naive}. The brackets compare with **Fastify and SQL by hand**. Unless a row says otherwise, there are 64 clients for reads from memory, and 16 for the others.`;
}

const whyReads = `A project is in memory after its first read, until another process changes it or its defaults, or other projects need the memory. Each request costs one look-up of the [revision](concepts.md), which many requests share. A new search or filter also compares all methods.

If a project is not in memory, the module reads all its methods, even for a single page. If most of your reads are the first read of a large project, write SQL by hand.`;

function whyWrites({ import: imports }) {
  const whole = imports?.rows.find(({ rival }) => rival === '')?.ours;
  const importOf = whole
    ? `: an import of 918 real methods, which are not in the repository, takes ${whole}.`
    : '.';
  return `SQL by hand sends one prepared statement. We send six, which are not prepared: a look-up of the revision, BEGIN, the new revision, the row, a read of the project, and COMMIT. A shop changes its methods a few times a day. For many changes at once, use \`upsertMany\`${importOf}`;
}

const slowLists = `## Lists are slow: what to do

1. If \`cacheStats()\` counts more new \`misses\` than \`hits\`, raise [\`cache.maxBytes\`](operations.md#sizes).
2. If the look-ups of \`shipping_project\` take more than 1 ms on average in \`pg_stat_statements\`, look for [dead rows and old snapshots](dba.md#what-to-watch).
3. If requests [wait for a connection](recipes/metrics.md#metrics), find long transactions.`;

function measured({ command, commit, date, load, machine }) {
  return `\`${command}\` measured these figures at ${commit}, ${date}, on ${machine}. Before the run, the load was ${load}. Compare only ratios: another machine gives other rates.`;
}

function section(part, { rows, server }) {
  const [title, explanation] = details[part];
  return [`## ${title}`, `${server}. ${explanation}`, table(rows)];
}

/** Returns a table with a line for each figure and a column for each rival. */
function table(rows) {
  const rivals = Object.keys(columnOf).filter((rival) => rows.some((row) => row.rival === rival));
  const names = [...new Set(rivals.map((rival) => columnOf[rival]))];
  const hasCpu = rows.some(({ cpu }) => cpu !== '');
  const lines = [...new Set(rows.map(({ title }) => title))].map((title) => {
    const titled = rows.filter((row) => row.title === title);
    const cells = names.map((name) => titled.filter(({ rival }) => columnOf[rival] === name).map(cell));
    const cpu = titled.filter(({ rival }) => rival === 'bare' || rival === 'naive').map((row) => row.cpu);
    return [title, ...cells.map(String), ...(hasCpu ? [cpu.filter(Boolean).join(', ')] : [])];
  });
  return tableOf(['', ...names, ...(hasCpu ? ['by CPU time'] : [])], lines);
}

const columnOf = {
  '': '',
  bare: 'bare',
  naive: 'naive',
  express: 'another',
  paginate: 'another',
  '`upsert`': '`upsert`',
};

/** A cell has no goal, because goals are for those who change the library. `npm run bench` prints them. */
function cell({ rival, ours, spread }) {
  const name = columnOf[rival] === 'another' ? `${rival}: ` : '';
  return `${name}${ours}${spread && ` (${spread})`}`;
}

const howToRead = `- **bare** is Fastify and the driver, with one prepared statement for each request, a pool of 10, no validation and no revision.
- **naive** is what a team writes by hand: Nest on Fastify, TypeORM, class-validator. **express** is the same program on Express. **paginate** uses nestjs-paginate.
- **warm**: requests for 100 busy projects of 100 methods, which are in memory. **cold**: the project is not in memory.
- A cell has the median of the rounds, and in brackets the lowest and the highest value. For requests a second, more than 1 means that we are faster. For **p99**, less than 1 means that we are faster: 99 of 100 requests take less than this time.
- **by CPU time** has two figures. The first is the CPU time that bare needs for a request, divided by the CPU time that we need. The second is the same for naive. The CPU time includes the server and the database.`;
