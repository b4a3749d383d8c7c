import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import workspace from '../vitest.config.js';

const [server = ''] = (process.env['TEST_DATABASE_URLS'] ?? '').split(',');

/** What tests the library, once: on the server when one is named, which is many times as fast. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: workspace.resolve,
  test: {
    globalSetup: ['test/support/snapshot.setup.ts'],
    setupFiles: ['reflect-metadata'],
    include: ['test/*.test.ts', 'test/embedding/*.test.ts', 'libs/**/*.spec.ts'],
    // What repeats others at length; and the zone of a process cannot be set in a thread of it.
    exclude: [
      'test/{docs,large-answers,real-carriers}.test.ts',
      'test/embedding/{global-setups,migrations,time-zones}.test.ts',
    ],
    // Half of a run would be imports.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: server ? { TEST_DATABASE_URL: server } : {},
  },
});
