import { parseArgs } from 'node:util';

export const usage = `npm run bench -- [options]

What is measured, by default the first:
  --ratios         ours against the others: requests a second, side by side
  --peers          our list and those of Vendure and Medusa; installing them takes some minutes
  --scale          the time of a request when there is a hundred times as much data
  --memory         the memory for large answers and for many different ones (--million: a million of them)
  --lookups        what the look-ups of revisions cost the database: docs/scaling.md; nothing is written
  --all            all of these

  --engine name    the ratios on mariadb or sqlite instead of postgres, or the look-ups on mariadb
  --only a,b       only the ratios whose names begin with these words: --only create,list20
  --against dir    the ratios of this checkout against another one that is built; nothing is written
  --quick          small data and short slices, to see that it runs and about how fast it is
  --rounds n       7 by default
  --seconds n      load per contender and round, 2 by default
  --no-build       measures dist as it is
  --write          writes docs/performance.* even after a quick or partial run; --no-write: never
`;

const engineNames = ['postgres', 'mariadb', 'sqlite'];
const parts = ['ratios', 'peers', 'scale', 'memory', 'lookups'];
const otherParts = { mariadb: ['ratios', 'lookups'], sqlite: ['ratios'] };

/** @throws Error that names the option */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      ratios: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      lookups: { type: 'boolean', default: false },
      million: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      against: { type: 'string' },
      engine: { type: 'string', default: 'postgres' },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      build: { type: 'boolean', default: true },
      write: { type: 'boolean' },
      help: { type: 'boolean', default: false },
    },
  });
  const wanted = parts.filter((part) => values.all || values[part]);
  if (!engineNames.includes(values.engine))
    throw new Error(`--engine ${values.engine}: choose among ${engineNames.join(', ')}.`);
  const possible = otherParts[values.engine] ?? parts;
  if (wanted.some((part) => !possible.includes(part)))
    throw new Error(`--engine ${values.engine} has only the ${possible.join(' and the ')}.`);
  const only = values.only.split(',').filter(Boolean);
  return {
    ...values,
    only,
    parts: wanted.length > 0 ? wanted : ['ratios'],
    rounds: numberOf('rounds', values.rounds ?? (values.quick ? '1' : '7')),
    seconds: numberOf('seconds', values.seconds ?? (values.quick ? '0.7' : '2')),
    write: values.write ?? (!values.quick && !values.against && only.length === 0),
  };
}

function numberOf(option, text) {
  const number = Number(text);
  if (number > 0) return number;
  throw new Error(`--${option} ${text}: give a number above 0.`);
}
