// Packs the library, installs the tarball in real hosts outside of this repository, as a customer would, and runs
// their own tests and the contract suite there.
//
//   npm run test:hosts                  those of CI
//   npm run test:hosts -- --all         all of matrix.mjs
//   npm run test:hosts -- NAME …        these
//   npm run test:hosts -- --list        their names
//
// SHIPPING_HOSTS_DIR keeps the hosts in that folder, to look at.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { cliVersions, hosts } from './matrix.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const npmInstall = [
  'install',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--prefer-offline',
  '--loglevel=error',
];

const flags = process.argv.slice(2);
const named = flags.filter((flag) => !flag.startsWith('--'));
const unknown = named.find((name) => !hosts[name]);
if (unknown !== undefined || flags.includes('--list')) {
  if (unknown !== undefined) console.error(`There is no host "${unknown}". Choose among:`);
  console.log(Object.keys(hosts).join('\n'));
  process.exit(unknown === undefined ? 0 : 1);
}
const all = Object.keys(hosts);
const wanted = named.length > 0 ? named : all.filter((name) => flags.includes('--all') || hosts[name].inCi);

const urls = process.env['TEST_DATABASE_URLS']?.split(',') ?? [];
/** better-sqlite3 and what it needs, compiled for this Node by `npm install --prefix test/drivers`. */
const compiled = join(root, 'test/drivers/node_modules');
const chromium = process.env['CHROMIUM'] || '/usr/bin/chromium';
const kept = process.env['SHIPPING_HOSTS_DIR'];
if (kept) mkdirSync(kept, { recursive: true });
const work = kept ?? mkdtempSync(join(tmpdir(), 'nestjs-shipping-hosts-'));
const results = [];
const installed = {};
try {
  console.log('Packing nestjs-shipping …');
  const library = join(root, 'libs/shipping');
  const packed = execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', work], {
    cwd: library,
  });
  const [{ filename }] = Object.values(JSON.parse(packed.toString()));
  const waiting = [...wanted];
  const tryNext = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const since = Date.now();
      const result = await tryHost(name, hosts[name], join(work, filename));
      results.push({ host: name, result, seconds: secondsSince(since) });
    }
  };
  // Two at a time: while one waits for its packages, the other computes.
  await Promise.all([tryNext(), tryNext()]);
} finally {
  if (!kept) rmSync(work, { recursive: true, force: true });
}
console.table(results);
const count = (word) => results.filter(({ result }) => result.startsWith(word)).length;
const left = all.filter((name) => !wanted.includes(name));
if (left.length > 0) console.log(`Not run: ${left.join(', ')} (npm run test:hosts -- --all runs all).`);
console.log(`${count('passed')} passed, ${count('FAILED')} failed, ${count('skipped')} skipped`);
process.exitCode = count('FAILED') > 0 ? 1 : 0;

async function tryHost(name, host, tarball) {
  const server = urls.find((url) => host.needs !== undefined && url.startsWith(host.needs));
  if (host.needs && !server) return `skipped: it needs ${host.needs}://… in TEST_DATABASE_URLS`;
  if (host.browser && !existsSync(chromium)) return `skipped: there is no Chromium at ${chromium} (CHROMIUM)`;
  const folder = join(work, name);
  const environment = { ...process.env, VENDURE_DISABLE_TELEMETRY: 'true' };
  if (host.sample) environment['SHIPPING_REPOSITORY'] = root;
  const database = `shipping_host_${name.replaceAll('-', '_')}_${process.pid}`;
  if (server) {
    await onServer(server, `CREATE DATABASE ${database}`);
    const url = new URL(server);
    url.pathname = `/${database}`;
    environment['DATABASE_URL'] = url.href;
  }
  try {
    const steps = [
      ['make the host', (at) => make(host, at)],
      ['install', (at) => install(host, tarball, at)],
      ...host.steps.map((step) => [step, (at) => ran('sh', ['-c', step], at)]),
      ...(host.starts ? [['npm start', (at) => starts(host.starts, at)]] : []),
      ...(host.nodes ?? []).map((version) => [
        `${host.program} on Node ${version}`,
        async (at) => ran(await nodeBinary(version), [host.program], at),
      ]),
    ];
    for (const [title, step] of steps) {
      const since = Date.now();
      const output = [];
      const isGood = await step({ cwd: folder, env: environment, output }).catch((error) => {
        output.push(error.message);
        return false;
      });
      // Altogether, as another host runs beside this one.
      console.log(`\n── ${name}: ${title}, ${secondsSince(since)} s\n${output.join('')}`);
      if (!isGood) return `FAILED at "${title}"`;
    }
    return 'passed';
  } finally {
    const force = host.needs === 'postgres' ? ' WITH (FORCE)' : '';
    if (server) await onServer(server, `DROP DATABASE ${database}${force}`);
  }
}

/** Creates the host in its folder. */
async function make(host, at) {
  const folder = at.cwd;
  rmSync(folder, { recursive: true, force: true });
  const { example, type, cli } = host.from;
  if (typeof host.from === 'string') cpSync(join(here, host.from), folder, { recursive: true });
  else if (example) cpSync(join(root, 'examples', example), folder, { recursive: true });
  else if (type) makePlain(folder, type);
  else if (!(await generate(cli, at))) return false;
  for (const files of host.files ?? []) cpSync(join(here, files), join(folder, 'src'), { recursive: true });
  if (host.mounts) mount(join(folder, 'src/app.module.ts'));
  return true;
}

function makePlain(folder, type) {
  const compilerOptions = {
    target: 'ES2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
  };
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
}

/** Runs `nest new` of that major. */
async function generate(cli, at) {
  const bin = await tool(`@nestjs/cli@${cliVersions[cli]}`, 'node_modules/.bin/nest');
  const args = ['new', basename(at.cwd), '--skip-install', '--skip-git', '--package-manager=npm'];
  return ran(bin, args, { ...at, cwd: work });
}

/** Puts the code of docs/start.md into the generated AppModule, as a reader would. */
function mount(file) {
  const page = readFileSync(join(root, 'docs/start.md'), 'utf8');
  const [, code] = /```ts\n([^]*?ShippingModule\.forRoot[^]*?)\n```/.exec(page);
  const [, imports, constants] = /\n((?:import .*\n)+)([^]*?)@Module/.exec(code);
  const [modules] = /imports: \[.*\]/.exec(code);
  const generated = readFileSync(file, 'utf8')
    .replace(/^import \{ Module \} .*\n/m, '')
    .replace('imports: []', modules)
    .replace('@Module', `${constants}@Module`);
  writeFileSync(file, imports + generated);
}

/** Installs the tarball together with the packages that the documents name for such a host. */
async function install({ add = [], addDev = [], sqlite = false, sample = false }, tarball, at) {
  const folder = at.cwd;
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const versions = (names) =>
    Object.fromEntries(
      names.map((name) => {
        const [, bare, version = '*'] = /^(.+?)(?:@([^@]+))?$/.exec(name);
        return [bare, version];
      }),
    );
  const copied = sqlite && existsSync(join(compiled, 'better-sqlite3/build'));
  const dependencies = {
    ...manifest.dependencies,
    ...versions(sqlite && !copied ? [...add, 'better-sqlite3@12'] : add),
    ...(!sample && { 'nestjs-shipping': `file:${tarball}` }),
  };
  if (copied) delete dependencies['better-sqlite3'];
  const devDependencies = { ...manifest.devDependencies, ...versions(addDev) };
  writeFileSync(file, `${JSON.stringify({ ...manifest, dependencies, devDependencies }, null, 2)}\n`);
  const isInstalled = await ran('npm', npmInstall, at);
  for (const name of copied ? ['better-sqlite3', 'bindings', 'file-uri-to-path'] : [])
    cpSync(join(compiled, name), join(folder, 'node_modules', name), { recursive: true });
  return isInstalled;
}

/** Runs `npm start` until it serves a list of methods. */
async function starts(status, { cwd, env, output }) {
  const probe = createServer().listen(0, '127.0.0.1');
  const { port } = await new Promise((ready) => probe.once('listening', () => ready(probe.address())));
  await new Promise((closed) => probe.close(closed));
  const server = spawn('npm', ['start'], { cwd, env: { ...env, PORT: String(port) }, detached: true });
  collect(server, output);
  const url = `http://127.0.0.1:${port}/api/projects/shop/sales/orders/shipments/methods`;
  let responded;
  for (let tries = 0; tries < 180 && server.exitCode === null && responded === undefined; tries++) {
    await delay(1000);
    responded = await fetch(url).then(
      (response) => response.status,
      () => undefined,
    );
  }
  output.push(`GET ${url}: ${responded}\n`);
  // npm and what it has started.
  if (server.exitCode === null) process.kill(-server.pid, 'SIGTERM');
  return responded === status;
}

/** The binary of a Node version, from npm's package for this platform. */
function nodeBinary(version) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  return tool(`${name}@${version}`, `node_modules/${name}/bin/node`);
}

/** @returns the path of that file of a package, which is installed once for all hosts */
function tool(spec, file) {
  const cwd = join(work, spec.replaceAll(/[@/]/g, '-'));
  installed[spec] ??= (async () => {
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, 'package.json'), '{}');
    const output = [];
    const args = [...npmInstall, spec];
    if (!(await ran('npm', args, { cwd, env: process.env, output }))) throw new Error(output.join(''));
    return join(cwd, file);
  })();
  return installed[spec];
}

async function ran(command, args, { cwd, env, output }) {
  const child = spawn(command, args, { cwd, env, timeout: 400_000 });
  collect(child, output);
  const [status] = await once(child, 'close');
  return status === 0;
}

function collect({ stdout, stderr }, output) {
  for (const stream of [stdout, stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text));
}

function secondsSince(since) {
  return Math.round((Date.now() - since) / 1000);
}

async function onServer(server, sql) {
  const client = server.startsWith('mariadb')
    ? await mysql.createConnection(server.replace('mariadb:', 'mysql:'))
    : new pg.Client({ connectionString: server });
  if (client instanceof pg.Client) await client.connect();
  await client.query(sql).finally(() => client.end());
}
