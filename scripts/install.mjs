// Before `npm start` and `npm test`: installs the dependencies when they are not the ones of package-lock.json.
import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The packages of a lockfile by their place; npm writes one into node_modules when an install is complete. */
function packages(lockfile) {
  try {
    return JSON.parse(readFileSync(new URL(lockfile, import.meta.url), 'utf8')).packages;
  } catch {
    return {};
  }
}

const wanted = Object.entries(packages('../package-lock.json'));
const installed = packages('../node_modules/.package-lock.json');
// The root has no entry when installed, and an optional package may be for another platform.
const isInstalled = wanted.every(
  ([place, { version, optional, devOptional }]) =>
    place === '' || optional || devOptional || installed[place]?.version === version,
);
if (!isInstalled) {
  console.log('Installing the dependencies of package-lock.json (npm ci, about a minute) …');
  try {
    execSync('npm ci --no-audit --no-fund --include=dev --loglevel=error', {
      cwd: new URL('..', import.meta.url),
      stdio: 'inherit',
    });
  } catch {
    console.error(
      'npm ci failed, see above: remove its cause (often the network), then run the command again.',
    );
    process.exit(1);
  }
}
