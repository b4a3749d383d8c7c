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
  // The limit ends a test that hangs. No test takes a tenth of this time.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

const engineOf = (url: string): string => url.split(':')[0] ?? '';

/** Tests of PostgreSQL itself, and tests of the sample, which runs on PostgreSQL. */
const postgresOnly = ['test/engines/postgres/**', 'test/sample/**'];

/** These tests find servers and SQLite themselves, so they run once in a run that names any of them. */
const ofServers = [
  'test/engines/*.test.ts',
  'test/recipes/silent-server.test.ts',
  'test/sample/engines.test.ts',
];

/** These tests are about code of the documents, or need no database. So they run once, too. */
const onceOnly = [
  'test/{guide,page,recipes}/**',
  'test/engines/postgres/testing-kit.test.ts',
  'test/*.test.ts',
];

/** These tests are about HTTP and Nest. The engine makes no difference to them, so they run once, too. */
const ofHttp = [
  'test/embedding/{responses-of,headers-of}-interceptors.test.ts',
  'test/embedding/{global-setups,guest,middlewares-and-hooks,mounting,own-envelope,two-copies}.test.ts',
  'test/embedding/{problem-details-filter,route-decorators}.test.ts',
  'test/embedding/{catch-all,contract-hints,guards,open-routes,options}.test.ts',
  'test/routes/{bad-inputs,head,http2,openapi*}.test.ts',
];

/** The oldest TypeORM that the package allows, where `test/drivers` is installed. */
const oldestTypeOrm = fileURLToPath(new URL('./test/drivers/node_modules/typeorm-oldest', import.meta.url));

/** The tests of transactions also run on the oldest TypeORM. SQLite needs a newer one. */
const oldest = (name: string, url?: string) => ({
  extends: true as const,
  resolve: { alias: [{ find: /^typeorm$/, replacement: `${oldestTypeOrm}/index.js` }] },
  test: {
    ...suite,
    name: `${name}, oldest TypeORM`,
    include: ['test/transactions/**/*.test.ts'],
    // Otherwise `@nestjs/typeorm` would load the newest TypeORM.
    server: { deps: { inline: ['@nestjs/typeorm'] } },
    ...(url !== undefined && { env: { TEST_DATABASE_URL: url } }),
    isolate: false,
  },
});

/** MySQL stands for MariaDB, which has the same driver. */
function hasOldest(url: string): boolean {
  const isStoodFor = engineOf(url) === 'mariadb' && databases.some((each) => engineOf(each) === 'mysql');
  return engineOf(url) !== 'sqlite' && !isStoodFor;
}

/** Each of these tests changes something that its whole process shares: a time zone, or the storage of class-transformer. */
const ownProcess = ['test/embedding/{global-setups,time-zones}.test.ts', 'test/sample/start.test.ts'];

export default defineConfig({
  resolve: {
    alias: [
      { find: /^nestjs-shipping$/, replacement: source('index.ts') },
      { find: /^nestjs-shipping\/migrations$/, replacement: source('database/migrations/migrations.ts') },
      { find: /^nestjs-shipping\/page$/, replacement: source('page/page.ts') },
      { find: /^nestjs-shipping\/testing$/, replacement: source('testing/testing.ts') },
      { find: /^nestjs-shipping\/openapi$/, replacement: source('openapi/openapi.ts') },
    ],
  },
  test: {
    globalSetup: ['test/support/snapshot.setup.ts'],
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        // Only this project runs the tests of pure functions, which stand beside their files.
        test: {
          ...suite,
          name: 'embedded',
          globalSetup: ['test/support/without-servers.setup.ts'],
          include: [...suite.include, 'libs/**/*.spec.ts'],
          exclude: [...ownProcess, ...ofServers],
          // With isolation, a fifth of a run would be imports.
          isolate: false,
        },
      },
      { extends: true, test: { ...suite, name: 'embedded, apart', include: ownProcess } },
      ...(databases.length > 0
        ? [
            {
              extends: true as const,
              test: { ...suite, name: 'servers', include: ofServers, isolate: false },
            },
          ]
        : []),
      ...databases.flatMap((url, index) => {
        const name = `server ${index + 1} (${engineOf(url)})`;
        const elsewhere = [
          ...ofServers,
          ...onceOnly,
          ...ofHttp,
          ...(engineOf(url).startsWith('postgres') ? [] : postgresOnly),
        ];
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
          ...(existsSync(oldestTypeOrm) && hasOldest(url) ? [oldest(name, url)] : []),
        ];
      }),
    ],
  },
});
