// Compares the CPU time that the server takes for a warm list with the commit in baseline.json, in pairs on this
// machine. A tenth more is said in capitals. The program fails when it is three tenths more. It needs a PostgreSQL, as
// the benchmark does, and the library must be built.
import { execSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUp, onExit } from './processes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { commit } = JSON.parse(readFileSync(new URL('baseline.json', import.meta.url), 'utf8'));
const checkout = join(mkdtempSync(join(tmpdir(), 'nestjs-shipping-drift-')), 'before');
const run = (command, cwd) => execSync(command, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });

try {
  console.log(`Beside ${commit}, on PostgreSQL:`);
  run(`git worktree add --quiet --detach ${checkout} ${commit}`, root);
  onExit(() => run(`git worktree remove --force ${checkout}`, root));
  // Hard links take seconds. A symbolic link would lead the old build to the new library.
  run(`cp -al node_modules ${checkout}/`, root);
  run('npm run build', checkout);
  const { measureRatios } = await import('./ratios.mjs');
  const { rows } = await measureRatios({
    engine: 'postgres',
    only: 'list20few',
    against: checkout,
    few: true,
    rounds: 4,
    seconds: 2,
  });
  const more = 1 / Number(rows[0].server);
  const text = `A warm list takes ${more.toFixed(2)} times the CPU time of the server`;
  console.log(more > 1.1 ? text.toUpperCase() : text);
  if (more > 1.3) process.exitCode = 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
