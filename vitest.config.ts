import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string =>
  fileURLToPath(new URL(`./libs/shipping/src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^nestjs-shipping$/, replacement: source('index.ts') },
      { find: /^nestjs-shipping\/migrations$/, replacement: source('database/migrations/migrations.ts') },
      { find: /^nestjs-shipping\/openapi$/, replacement: source('openapi/openapi.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'libs/**/*.test.ts', 'apps/**/*.test.ts'],
    globalSetup: ['test/support/snapshot.setup.ts'],
    setupFiles: ['reflect-metadata'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
