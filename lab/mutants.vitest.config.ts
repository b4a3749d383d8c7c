import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import workspace from '../vitest.config.js';

const urls = (process.env['TEST_DATABASE_URLS'] ?? '').split(',');
const server = urls.find((url) => url.startsWith('postgres')) ?? '';

/** The tests of the library, run once: on a server when one is named, because that is many times as fast. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: workspace.resolve,
  test: {
    globalSetup: ['test/support/snapshot.setup.ts'],
    setupFiles: ['reflect-metadata'],
    include: [
      'test/{routes,services,transactions,embedding,guest}/*.test.ts',
      'test/engines/postgres/*.test.ts',
      'libs/**/*.spec.ts',
    ],
    // Long tests that repeat others, and tests that set the time zone, which a thread cannot do.
    exclude: [
      'test/{services/event-stream,routes/real-carriers}.test.ts',
      'test/embedding/{global-setups,migrations,time-zones}.test.ts',
      'test/engines/postgres/schema-option.test.ts',
    ],
    // With isolation, half of a run would be imports.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: server ? { TEST_DATABASE_URL: server } : {},
  },
});
