import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import workspace from '../../vitest.config.js';

/** Databases on which the campaign also runs, comma-separated. */
const databases = (process.env['TEST_DATABASE_URLS'] ?? '').split(',').filter((url) => url !== '');

const hours = 3_600_000;
const faults = 'lab/campaign/faults/**/*.campaign.ts';

const isLong = process.env['CAMPAIGN_SIZE'] === 'long';
/** CI's size leaves out what would take it too long, unless files are named. */
const isWhole = isLong || process.env['CAMPAIGN_FILES'] === 'named';
const hasPostgres = databases.some((url) => url.startsWith('postgres'));
const hasMysql = databases.some((url) => url.startsWith('mysql'));
const notEmbedded = [
  '**/*.server.campaign.ts',
  // The embedded database is a PostgreSQL. A server of PostgreSQL stands for it.
  ...(isWhole || !hasPostgres
    ? []
    : [
        'lab/campaign/{fuzz,injection,races,tenancy}/**',
        'lab/campaign/{freshness,model,faults/kill}.campaign.ts',
      ]),
];
/**
 * In CI's size, the model stands for requests that are generated, and PostgreSQL for the injection and for most
 * failures. MySQL stands for MariaDB, which has the same driver.
 */
const others = isWhole ? [] : ['lab/campaign/faults/!(kill).campaign.ts', 'lab/campaign/{fuzz,injection}/**'];
const stoodFor = isWhole || !hasMysql ? [] : ['lab/campaign/**'];
const fewer = isWhole ? [] : ['lab/campaign/model.campaign.ts'];
/** The standby is one of PostgreSQL. */
const ofPostgres = 'lab/campaign/faults/failover.server.campaign.ts';
const excluded: Record<string, string[]> = {
  mariadb: [ofPostgres, ...others, ...stoodFor],
  mysql: [ofPostgres, ...others],
  // SQLite is for development and tests, so nobody runs a host on it.
  sqlite: ['**/*.server.campaign.ts', faults, ...others, ...fewer],
};

/** Tests of faults measure times, so they run after the attacks, one at a time. */
function projectsOn(name: string, exclude: string[], env: Record<string, string>) {
  const common = { setupFiles: ['reflect-metadata'], testTimeout: 6 * hours, hookTimeout: 60_000, env };
  const attacks = {
    include: ['lab/campaign/**/*.campaign.ts'],
    exclude: [...exclude, faults],
    maxWorkers: 2,
    isolate: false,
  };
  const alone = { include: [faults], exclude, maxWorkers: 1, fileParallelism: false };
  return [
    { extends: true as const, test: { ...common, ...attacks, name, sequence: { groupOrder: 0 } } },
    {
      extends: true as const,
      test: { ...common, ...alone, name: `${name}, faults`, sequence: { groupOrder: 1 } },
    },
  ];
}

/** A file that needs a server of a database has it in its name: `*.server.campaign.ts`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: workspace.resolve,
  test: {
    globalSetup: ['test/support/snapshot.setup.ts'],
    passWithNoTests: true,
    projects: [
      ...projectsOn('embedded', notEmbedded, {}),
      ...databases.flatMap((url, index) => {
        const engine = url.startsWith('postgres') ? 'postgres' : (url.split(':')[0] ?? '');
        return projectsOn(`server ${index + 1} (${engine})`, excluded[engine] ?? [], {
          TEST_DATABASE_URL: url,
        });
      }),
    ],
  },
});
