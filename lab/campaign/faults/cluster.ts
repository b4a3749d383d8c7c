import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../mariadb-server.js';

const run = promisify(execFile);
const versions = '/usr/lib/postgresql';

/** Debian's folder of server programs; undefined when there is none, or when we may not run as `postgres`. */
async function programs(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !existsSync(versions)) return undefined;
  const newest = (await readdir(versions)).toSorted((a, b) => Number(b) - Number(a))[0];
  return newest && join(versions, newest, 'bin');
}

const bin = await programs();

/** Whether temporary servers can be created here. If not, a message says so. */
export const hasClusters = bin !== undefined;

if (!hasClusters) {
  console.log(
    `Skipped: tests with temporary PostgreSQL servers (they need root, and Debian's postgresql under ${versions}).`,
  );
}

/** A PostgreSQL server for one test, on loopback, with fsync, as the user `postgres`. */
export class Cluster {
  private constructor(
    readonly directory: string,
    readonly port: number,
  ) {}

  /** @param parent the folder for its own one */
  static async primary(settings: Record<string, string> = {}, parent = tmpdir()): Promise<Cluster> {
    const directory = await emptyDirectory(parent);
    await asPostgres(
      'initdb',
      '-D',
      join(directory, 'data'),
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale',
      'C.UTF-8',
    );
    const [port = 0] = await freePorts(1);
    const cluster = new Cluster(directory, port);
    await cluster.start(settings);
    return cluster;
  }

  /** A standby of this server, by streaming replication. */
  async standby(name: string, settings: Record<string, string> = {}): Promise<Cluster> {
    const directory = await emptyDirectory();
    const [port = 0] = await freePorts(1);
    const standby = new Cluster(directory, port);
    const source = `host=127.0.0.1 port=${this.port} user=postgres application_name=${name}`;
    await asPostgres(
      'pg_basebackup',
      '-D',
      join(directory, 'data'),
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '-d',
      source,
    );
    await standby.start(settings);
    return standby;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** For settings that need no restart. */
  async configure(settings: Record<string, string>): Promise<void> {
    await this.append(settings);
    await this.control('reload');
  }

  /** Stops like a power cut: clients are not told, and there is no checkpoint. */
  async crash(): Promise<void> {
    await this.control('stop', '-m', 'immediate');
  }

  async isAlive(): Promise<boolean> {
    return this.control('status').then(
      () => true,
      () => false,
    );
  }

  async promote(): Promise<void> {
    await this.control('promote', '-w');
  }

  async remove(): Promise<void> {
    await this.crash().catch(() => undefined);
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Again after a crash, or for the first time with these settings. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const all = {
      port: String(this.port),
      listen_addresses: "'127.0.0.1'",
      unix_socket_directories: "''",
      fsync: 'on',
      max_wal_senders: '4',
      ...settings,
    };
    await this.append(all);
    await this.control('start', '-w', '-l', join(this.directory, 'log'));
  }

  private async append(settings: Record<string, string>): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    await writeFile(join(this.directory, 'data/postgresql.auto.conf'), lines.join(''), { flag: 'a' });
  }

  private async control(...parameters: string[]): Promise<void> {
    await asPostgres('pg_ctl', '-D', join(this.directory, 'data'), ...parameters);
  }
}

/** Without `su`, whose child process would outlive it. */
async function asPostgres(program: string, ...parameters: string[]): Promise<void> {
  await run('setpriv', [
    '--reuid=postgres',
    '--regid=postgres',
    '--clear-groups',
    join(bin ?? '', program),
    ...parameters,
  ]);
}

async function emptyDirectory(parent = tmpdir()): Promise<string> {
  const directory = await mkdtemp(join(parent, 'cluster-'));
  const { stdout } = await run('id', ['-u', 'postgres']);
  await chown(directory, Number(stdout), Number(stdout));
  return directory;
}
