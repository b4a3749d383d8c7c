import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import workspace from '../../vitest.config.js';

/** PostgreSQL servers on which the campaign also runs, comma-separated. */
const servers = (process.env['TEST_DATABASE_URLS'] ?? '')
  .split(',')
  .filter((url) => url.startsWith('postgres'));

const hours = 3_600_000;
const faults = 'test/campaign/faults/**/*.campaign.ts';

/** Tests of faults measure times, so they run after the attacks, one at a time. */
function projectsOn(name: string, exclude: string, env: Record<string, string>) {
  const common = { setupFiles: ['reflect-metadata'], testTimeout: 6 * hours, hookTimeout: 60_000, env };
  const attacks = { include: ['test/campaign/**/*.campaign.ts'], exclude: [exclude, faults], maxWorkers: 2 };
  const alone = { include: [faults], exclude: [exclude], maxWorkers: 1, fileParallelism: false };
  return [
    { extends: true as const, test: { ...common, ...attacks, name, sequence: { groupOrder: 0 } } },
    {
      extends: true as const,
      test: { ...common, ...alone, name: `${name}, faults`, sequence: { groupOrder: 1 } },
    },
  ];
}

/** A file for one kind of database has it in its name: `*.embedded.campaign.ts`, `*.server.campaign.ts`. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: workspace.resolve,
  test: {
    globalSetup: ['test/support/snapshot.setup.ts'],
    passWithNoTests: true,
    projects: [
      ...projectsOn('embedded', '**/*.server.campaign.ts', {}),
      ...servers.flatMap((url, index) =>
        projectsOn(`server ${index + 1}`, '**/*.embedded.campaign.ts', { TEST_DATABASE_URL: url }),
      ),
    ],
  },
});
