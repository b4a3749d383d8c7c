import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string =>
  fileURLToPath(new URL(`./libs/shipping/src/${path}`, import.meta.url));

/**
 * Databases to run the same suite on, comma-separated: `postgres://…`, `mariadb://…`, `mysql://…`, `sqlite:`. PostgreSQL in
 * this process comes first always.
 */
const databases = (process.env['TEST_DATABASE_URLS'] ?? '').split(',').filter((url) => url !== '');

const suite = {
  include: ['test/**/*.test.ts'],
  setupFiles: ['reflect-metadata', 'test/support/nest-log.setup.ts'],
  // Against what hangs: no test takes a tenth of it.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

const engineOf = (url: string): string => url.split(':')[0] ?? '';

/** What is about PostgreSQL itself, and the sample, which runs on PostgreSQL. */
const postgresOnly = ['test/engines/postgres/**', 'test/sample/**'];

/** They look for the engines that are there by themselves, show code of the documents, or need no database. */
const ownEngines = ['test/engines/*.test.ts', 'test/{guide,recipes}/**', 'test/*.test.ts'];

/** The oldest TypeORM that the package allows, where `test/drivers` is installed. */
const oldestTypeOrm = fileURLToPath(new URL('./test/drivers/node_modules/typeorm-oldest', import.meta.url));

/** The transactions again, on the oldest TypeORM. SQLite needs a newer one. */
const oldest = (name: string, url?: string) => ({
  extends: true as const,
  resolve: { alias: [{ find: /^typeorm$/, replacement: `${oldestTypeOrm}/index.js` }] },
  test: {
    ...suite,
    name: `${name}, oldest TypeORM`,
    include: ['test/transactions/**/*.test.ts'],
    // Otherwise it would load the other TypeORM.
    server: { deps: { inline: ['@nestjs/typeorm'] } },
    ...(url !== undefined && { env: { TEST_DATABASE_URL: url } }),
    isolate: false,
  },
});

/** Set up what a whole process shares: class-transformer's storage, its time zone, its environment. */
const ownProcess = ['test/embedding/{global-setups,time-zones}.test.ts', 'test/sample/start.test.ts'];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^nestjs-shipping$/, replacement: source('index.ts') },
      { find: /^nestjs-shipping\/migrations$/, replacement: source('database/migrations/migrations.ts') },
      { find: /^nestjs-shipping\/testing$/, replacement: source('testing/testing.ts') },
      { find: /^nestjs-shipping\/openapi$/, replacement: source('openapi/openapi.ts') },
    ],
  },
  test: {
    globalSetup: ['test/support/snapshot.setup.ts'],
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        // What needs no database, beside what it is about, once.
        test: {
          ...suite,
          name: 'embedded',
          include: [...suite.include, 'libs/**/*.spec.ts'],
          exclude: ownProcess,
          // A fifth of a run would be imports.
          isolate: false,
        },
      },
      { extends: true, test: { ...suite, name: 'embedded, apart', include: ownProcess } },
      ...databases.flatMap((url, index) => {
        const name = `server ${index + 1} (${engineOf(url)})`;
        const elsewhere = [...ownEngines, ...(engineOf(url).startsWith('postgres') ? [] : postgresOnly)];
        const test = { ...suite, env: { TEST_DATABASE_URL: url } };
        return [
          {
            extends: true as const,
            test: { ...test, name, exclude: [...elsewhere, ...ownProcess], isolate: false },
          },
          {
            extends: true as const,
            test: { ...test, name: `${name}, apart`, include: ownProcess, exclude: elsewhere },
          },
          ...(existsSync(oldestTypeOrm) && engineOf(url) !== 'sqlite' ? [oldest(name, url)] : []),
        ];
      }),
    ],
  },
});
