import { execSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

const run = (command, cwd) => execSync(command, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });

/** Installs and builds ours and its rivals. */
export function prepare({ build, engine }) {
  run('node scripts/install.mjs', root);
  installIn(here);
  if (engine === 'sqlite') installIn(`${root}test/drivers`);
  if (build) {
    console.log('Building the sample …');
    run('npm run build', root);
  }
  run('npx tsc -p rivals/nest --incremental', here);
}

/** Uses `npm install`, because `npm ci` needs packages for other platforms, which not every registry has. */
export function installIn(folder) {
  if (isInstalled(folder)) return;
  console.log(`Installing the packages of ${folder} …`);
  run('npm install --no-save --no-audit --no-fund --loglevel=error', folder);
}

/** npm writes `node_modules/.package-lock.json` when an install is complete. */
function isInstalled(folder) {
  const installed = `${folder}/node_modules/.package-lock.json`;
  if (!existsSync(installed)) return false;
  const versions = (file) => {
    const { packages } = JSON.parse(readFileSync(file, 'utf8'));
    return new Map(Object.entries(packages).map(([place, { version }]) => [place, version]));
  };
  const wanted = versions(`${folder}/package-lock.json`);
  return [...versions(installed)].every(([place, version]) => wanted.get(place) === version);
}
