// Packs the library, installs the tarball in real hosts outside of this repository, as a customer would, and has
// each of them run the contract suite against its own app: `npm run test:hosts [host …]`.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const library = fileURLToPath(new URL('../../libs/shipping', import.meta.url));
const all = readdirSync(here).filter((name) => existsSync(join(here, name, 'package.json')));
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !all.includes(name));
if (unknown) {
  console.error(`There is no host "${unknown}": choose among ${all.join(', ')}.`);
  process.exit(1);
}

const work = mkdtempSync(join(tmpdir(), 'nestjs-shipping-hosts-'));
const results = [];
try {
  console.log('Packing nestjs-shipping …');
  const packed = execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', work], {
    cwd: library,
  });
  const [{ filename }] = Object.values(JSON.parse(packed.toString()));
  const tarball = join(work, filename);
  for (const name of wanted.length > 0 ? wanted : all) {
    const since = Date.now();
    const failed = stepsOf(name, tarball).find(({ title, command, args }) => {
      console.log(`\n── ${name}: ${title}`);
      return !ran(command, args, join(work, name));
    });
    results.push({
      host: name,
      result: failed ? `FAILED at "${failed.title}"` : 'passed',
      seconds: Math.round((Date.now() - since) / 1000),
    });
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.table(results);
const failures = results.filter(({ result }) => result !== 'passed').length;
console.log(`${results.length - failures} passed, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;

/** Copies the host, with the tarball among its dependencies. */
function stepsOf(name, tarball) {
  const folder = join(work, name);
  const manifest = JSON.parse(readFileSync(join(here, name, 'package.json'), 'utf8'));
  // Hosts that are the same app on other versions share its source.
  if (manifest.usesApp) cpSync(join(here, 'app'), join(folder, 'src'), { recursive: true });
  cpSync(join(here, name), folder, { recursive: true });
  const dependencies = { ...manifest.dependencies, 'nestjs-shipping': `file:${tarball}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies }, null, 2));
  const install = [
    'install',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--prefer-offline',
    '--loglevel=error',
  ];
  return [
    { title: 'install', command: 'npm', args: install },
    { title: 'build', command: 'npm', args: ['run', '--silent', 'build'] },
    { title: 'contract', command: 'npm', args: ['test', '--silent'] },
  ];
}

function ran(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', timeout: 300_000 });
  return status === 0;
}
