// Runs the suite and the attacks on the coordinator of Citus at CITUS_URL, with our tables spread over its workers:
// `CITUS_URL=postgres://… npm run test:citus`. With CITUS_DIRECTORY, the one of start.sh, it also kills the nodes.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { CITUS_URL: url } = process.env;
if (!url) console.log('No Citus here: CITUS_URL is not set, so nothing runs (lab/citus/README.md).');
else {
  const env = { ...process.env, TEST_DATABASE_URLS: url, TEST_CITUS_SHARDS: '4' };
  const suite = ['--project', 'server 1 (postgres)', '--project', 'server 1 (postgres), apart'];
  // Not races/dry-runs: the own and the inherited values of a preview may come from two moments.
  const races = ['event-pages', 'hooks', 'races', 'rollback'].map((each) => `races/${each}`);
  const attacks = [...races, 'tenancy', 'injection', 'freshness', 'model', 'faults/citus'];
  const campaign = ['--project', 'server*', ...attacks.map((each) => `lab/campaign/${each}`)];
  const runs = [
    ['node_modules/vitest/vitest.mjs', 'run', '--reporter', 'minimal', '--maxWorkers', '2', ...suite],
    ['lab/campaign/run.mjs', ...campaign],
  ];
  const results = runs.map((run) => spawnSync(process.execPath, run, { cwd: root, stdio: 'inherit', env }));
  process.exitCode = results.some(({ status }) => status !== 0) ? 1 : 0;
}
