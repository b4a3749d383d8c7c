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

interface Kind {
  server: string;
  /** The program that creates the files of a server, and its arguments. */
  install: readonly [string, ...string[]];
  /** As whom a server of root runs. */
  user: string;
  settings: readonly string[];
}

// The variable names the program, because a `mysqld` on the PATH may be MariaDB.
const mysqld = process.env['MYSQLD'] ?? 'MYSQLD';

const kinds = {
  mariadb: {
    server: 'mariadbd',
    install: ['mariadb-install-db', '--auth-root-authentication-method=normal'],
    // Root would start helpers as nobody, who may not read the data.
    user: 'mysql',
    settings: ['innodb_log_file_size=16M'],
  },
  mysql: {
    server: mysqld,
    install: [mysqld, '--initialize-insecure'],
    user: 'root',
    settings: ['innodb_redo_log_capacity=16M', 'mysqlx=OFF'],
  },
} satisfies Record<string, Kind>;

/** The programs that are not installed here. */
export function missingOf(kind: keyof typeof kinds): string[] {
  const folders = ['', ...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const programs = new Set([kinds[kind].server, kinds[kind].install[0]]);
  return [...programs].filter((program) => !folders.some((folder) => isExecutable(join(folder, program))));
}

/** A server of MariaDB or MySQL on loopback, with its data in a folder. */
export class MariadbServer {
  private process: ChildProcess | undefined;
  private readonly programs: Kind;
  private readonly user: string | undefined;

  constructor(
    private readonly kind: keyof typeof kinds,
    readonly folder: string,
    readonly port: number,
  ) {
    this.programs = kinds[kind];
    this.user = process.getuid?.() === 0 ? this.programs.user : undefined;
  }

  /** Creates the files of the server, for `root` without a password. */
  async install(): Promise<void> {
    if (this.user) await run('chown', ['-R', this.user, this.folder]);
    const [program, ...options] = this.programs.install;
    await run(program, ['--no-defaults', ...this.dataOptions, ...options]);
  }

  private get dataOptions(): string[] {
    return [`--datadir=${join(this.folder, 'data')}`, ...(this.user ? [`--user=${this.user}`] : [])];
  }

  /** @param database which need not be there yet */
  urlOf(database: string): string {
    return `${this.kind}://root@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const all = [
      'bind_address=127.0.0.1',
      `port=${this.port}`,
      `socket=${join(this.folder, 'socket')}`,
      `pid_file=${join(this.folder, 'pid')}`,
      'innodb_buffer_pool_size=32M',
      ...this.programs.settings,
    ];
    const log = await open(join(this.folder, 'log'), 'a');
    const options = ['--no-defaults', ...this.dataOptions, ...all.map((setting) => `--${setting}`)];
    this.process = spawn(this.programs.server, options, { stdio: ['ignore', log.fd, log.fd] });
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
