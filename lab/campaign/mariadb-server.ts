import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

const run = promisify(execFile);

/** Root would start helpers as nobody, who may not read the data. */
const user = process.getuid?.() === 0 ? 'mysql' : undefined;

/** The programs that are not installed here. */
export function missingOf(programs: readonly string[]): string[] {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return programs.filter((program) => !folders.some((folder) => isExecutable(join(folder, program))));
}

/** Creates the files of a server in `data` of this folder, for `root` without a password. */
export async function installIn(folder: string): Promise<void> {
  await own(folder);
  await run('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    '--auth-root-authentication-method=normal',
    ...(user ? [`--user=${user}`] : []),
  ]);
}

/** Lets the server use what was put into this folder. */
async function own(folder: string): Promise<void> {
  if (user) await run('chown', ['-R', user, folder]);
}

/** A server of MariaDB on loopback, with its data in a folder. */
export class MariadbServer {
  private process: ChildProcess | undefined;

  constructor(
    readonly folder: string,
    readonly port: number,
  ) {}

  /** @param database which need not be there yet */
  urlOf(database: string): string {
    return `mariadb://root@127.0.0.1:${this.port}/${database}`;
  }

  async start(settings: readonly string[] = []): Promise<void> {
    const all = [
      'bind_address=127.0.0.1',
      `datadir=${join(this.folder, 'data')}`,
      `port=${this.port}`,
      `socket=${join(this.folder, 'socket')}`,
      `pid_file=${join(this.folder, 'pid')}`,
      ...(user ? [`user=${user}`] : []),
      ...settings,
    ];
    const log = await open(join(this.folder, 'log'), 'a');
    this.process = spawn('mariadbd', ['--no-defaults', ...all.map((setting) => `--${setting}`)], {
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    for (const end = performance.now() + 120_000; ;) {
      if (await this.query('SELECT 1').catch(() => undefined)) return;
      if (!this.isAlive || performance.now() > end) throw new Error(`No server: ${await this.log()}`);
      await delay(100);
    }
  }

  get isAlive(): boolean {
    return this.process?.exitCode === null && this.process.signalCode === null;
  }

  async query<Row = unknown>(sql: string, database = 'mysql'): Promise<Row[]> {
    const connection = await createConnection({ uri: this.urlOf(database), connectTimeout: 2000 });
    try {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return rows as Row[];
    } finally {
      connection.destroy();
    }
  }

  async kill(): Promise<void> {
    if (!this.process || !this.isAlive) return;
    this.process.kill('SIGKILL');
    await once(this.process, 'close');
  }

  /** The end of what it has logged. */
  async log(): Promise<string> {
    return (await readFile(join(this.folder, 'log'), 'utf8')).slice(-2000);
  }
}

/** Different ones, which no other program uses at the moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
