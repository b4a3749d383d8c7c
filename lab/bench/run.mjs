// Compares the speed of the library with rivals on the same machine at the same time. See README.md.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cleanUp } from './processes.mjs';

const usage = `npm run bench -- [options]

  --engine name    postgres (the default) or mariadb
  --memory         the memory of cached methods instead of the ratios; on PostgreSQL
  --slowest        how long the slowest legal requests hold up the process; on PostgreSQL
  --import         upsertMany instead of the ratios; on PostgreSQL
  --all            the ratios on both engines, upsertMany and the memory
  --only a,b       only the scenarios whose names begin with these words: --only create,list20
  --adapter name   the adapter of ours: fastify (the default) or express
  --against dir    ours against another checkout that is built (npm run build); nothing is written
  --partitions     ours with the hash partitions of docs/scaling.md against ours with normal tables
  --rounds n       7 by default
  --seconds n      load per contender and round, 2 by default
  --no-build       measures dist as it is
  --write          with --all: writes docs/performance.md, its chart and figures.md; without it, the figures are only printed

BENCH_POSTGRES_URL and BENCH_MARIADB_URL are servers where databases may be created; by default those of this
machine.
`;

const run = (command, cwd) => execSync(command, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
}

try {
  const { values: options } = parseArgs({
    allowNegative: true,
    options: {
      engine: { type: 'string', default: 'postgres' },
      adapter: { type: 'string', default: 'fastify' },
      memory: { type: 'boolean', default: false },
      import: { type: 'boolean', default: false },
      slowest: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      against: { type: 'string' },
      partitions: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '2' },
      build: { type: 'boolean', default: true },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) console.log(usage);
  else await measure(options);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}

async function measure(options) {
  run('node scripts/install.mjs', root);
  if (!existsSync(`${here}node_modules/nestjs-paginate`))
    run('npm install --no-save --no-audit --no-fund --loglevel=error', here);
  if (options.build) run('npm run build', root);
  run('npx tsc -p rivals/nest', here);
  // These modules import packages that the commands above have installed.
  const { measureMemory } = await import('./memory.mjs');
  const { measureImports } = await import('./import.mjs');
  const { measureSlowest } = await import('./slowest.mjs');
  const { measureRatios } = await import('./ratios.mjs');
  const { printRows } = await import('./report/rows.mjs');
  const { write } = await import('./report/results.mjs');
  const kinds = {
    postgres: () => measureRatios({ ...options, engine: 'postgres' }),
    mariadb: () => measureRatios({ ...options, engine: 'mariadb' }),
    import: () => measureImports(options),
    memory: measureMemory,
    slowest: measureSlowest,
  };
  const named = ['memory', 'import', 'slowest'].find((name) => options[name]) ?? options.engine;
  if (!kinds[named]) throw new Error(`--engine ${named} is unknown. Choose postgres or mariadb.`);
  const results = {};
  for (const part of options.all ? ['postgres', 'mariadb', 'import', 'memory'] : [named]) {
    const result = await kinds[part]();
    printRows(result.rows);
    results[part] = result;
    await cleanUp();
  }
  if (options.write && options.all && !options.only) await write(results);
}
