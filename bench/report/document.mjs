import { columns } from './rows.mjs';

const parts = {
  ratios: [
    'Beside others',
    'Requests a second, as a multiple of the rival’s in the same round: the median, and the least and the most.',
  ],
  peers: ['Beside platforms', 'Their own lists of as many shipping methods, asked in their own way.'],
  scale: ['As it grows', 'How many times longer one request takes, alone, when there is more.'],
  memory: [
    'Memory',
    'By how much the process grows at its highest, and how long its event loop stands still.',
  ],
};

/** docs/performance.md, from what has been measured so far. */
export function document({ rows, machine }) {
  const all = Object.values(rows);
  return [
    '# Performance',
    'Made by `npm run bench`; how it measures is in `bench/README.md`. Figures of another machine are other figures: compare ratios.',
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
      ({ command, commit, date, loadBefore }) =>
        `\`${command}\` at ${commit}, ${date}, on a machine with a load of ${loadBefore} before it began`,
    ),
  );
  return [`## ${title}`, explanation, table.join('\n'), `${[...runs].join('; ')}.`];
}

const howToRead = `## How to read it

- **bare** is Fastify and pg without a framework, one prepared statement a request, pool of 10, nothing validated. Its list counts with \`COUNT\`, its insert only inserts: it keeps no total and no revision. Against a bare one that reads the total our writes keep, see the row that says so.
- **warm**: the 100 shops that are busy now; what the process holds is sent again, after a look at the database that nothing changed. **cold**: every request is for another project or page, none of them held. Read both rows: a warm one wins by not doing the work.
- **by CPU time**: how much less CPU a request costs, in the server and in PostgreSQL together; what is left of a ratio when the machine is busy with something else.
- **MISSED** is a goal that this run did not reach.`;

const notMeasured = `## What is not measured

Networks: everything is on one machine, the load generator too. More than one process of a server. TLS, logging, guards. Other databases than the one named below. That no read is stale is the test campaign's to show.`;
