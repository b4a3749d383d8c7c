import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort, onExit, stop, until } from './processes.mjs';

const debianRoot = '/usr/lib/postgresql';

/** Settings for a small server, because the defaults are for any machine. Durability stays on. */
const settings = [
  'shared_buffers=256MB',
  'max_connections=100',
  'max_wal_size=4GB',
  'listen_addresses=127.0.0.1',
];

/** Creates a database that is dropped when the bench ends. @returns its URL, and the server's pid if we started it */
export async function newDatabase(name) {
  const server = await (running ??= startServer());
  const database = `${name}_${process.pid}`;
  await administer(server.url, `CREATE DATABASE ${database}`);
  onExit(() => administer(server.url, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`));
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href, pid: server.pid };
}

/** Such as `PostgreSQL 15.8`. */
export async function version() {
  const [{ server_version }] = await administer((await running).url, 'SHOW server_version');
  return `PostgreSQL ${server_version.split(' ')[0]}`;
}

let running;

async function startServer() {
  const url = process.env.BENCH_DATABASE_URL;
  return url ? { url } : startThrowaway();
}

async function startThrowaway() {
  const bin = binaries();
  const user = unprivilegedUser();
  const folder = newFolder(user);
  execFileSync(
    join(bin, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
    {
      ...user,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  onExit(() => {
    running = undefined;
  });
  return serverOf(folder, bin, user);
}

/** @param folder with the folder `data`; it is removed when the bench ends */
async function serverOf(folder, bin, user) {
  const port = await freePort();
  const options = [...settings, `unix_socket_directories=${folder}`].flatMap((setting) => ['-c', setting]);
  // Its log is not needed: `until` reports when it cannot start.
  const server = spawn(join(bin, 'postgres'), ['-D', join(folder, 'data'), '-p', String(port), ...options], {
    ...user,
    stdio: 'ignore',
  });
  onExit(async () => {
    await stop(server, 'SIGINT');
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await until(() => administer(url, 'SELECT 1'), server, 'PostgreSQL');
  return { url, pid: server.pid };
}

/**
 * Starts a synchronous standby of our own server. Commits wait for it as `synchronous_commit` of their session says.
 * @returns its URL for the same database, and its pid; undefined for a server that we did not start
 */
export async function newStandby(database) {
  const primary = await running;
  if (!primary?.pid) return undefined;
  const bin = binaries();
  const user = unprivilegedUser();
  const folder = newFolder(user);
  const { port } = new URL(primary.url);
  const source = `host=127.0.0.1 port=${port} user=postgres application_name=standby`;
  execFileSync(
    join(bin, 'pg_basebackup'),
    ['-D', join(folder, 'data'), '-R', '-X', 'stream', '-c', 'fast', '-d', source],
    { ...user, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const standby = await serverOf(folder, bin, user);
  const configure = async (sql) => {
    await administer(primary.url, sql);
    await administer(primary.url, 'SELECT pg_reload_conf()');
  };
  await configure(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  // Runs before the standby stops: otherwise every later commit would wait for it.
  onExit(() => configure('ALTER SYSTEM RESET synchronous_standby_names'));
  const url = new URL(standby.url);
  url.pathname = new URL(database.url).pathname;
  return { url: url.href, pid: standby.pid };
}

function newFolder(user) {
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-shipping-bench-'));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

function binaries() {
  const installed = existsSync(debianRoot)
    ? readdirSync(debianRoot).toSorted((a, b) => Number(b) - Number(a))
    : [];
  const candidates = [configured(), ...installed.map((name) => join(debianRoot, name, 'bin'))];
  const found = candidates.find((bin) => bin && existsSync(join(bin, 'initdb')));
  if (found) return found;
  throw new Error(
    'There is no PostgreSQL to measure against: install it (apt-get install postgresql), ' +
      'or set BENCH_DATABASE_URL to a server where databases may be created.',
  );
}

function configured() {
  try {
    return execFileSync('pg_config', ['--bindir'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return undefined;
  }
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres']));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function administer(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
