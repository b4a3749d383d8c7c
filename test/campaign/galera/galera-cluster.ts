import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { cp, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

const run = promisify(execFile);

const provider = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'].find((path) =>
  existsSync(path),
);
const programs = ['mariadbd', 'mariadb-install-db', 'wsrep_sst_rsync', 'rsync'];

/** Why no cluster can be started here; undefined: it can. */
export const missing =
  programs.filter((name) => !isThere(name)).join(', ') || (provider ? undefined : 'libgalera_smm.so');

if (missing) console.log(`Skipped: Galera (no ${missing}; Debian has galera-4, mariadb-server and rsync).`);

/** Root would start rsync as nobody, who may not read the data. */
const user = process.getuid?.() === 0 ? 'mysql' : undefined;

/** Small, and with time-outs that are shorter than the usual ones, so that a run takes minutes. */
const settings = [
  'bind_address=127.0.0.1',
  'innodb_buffer_pool_size=48M',
  'innodb_log_file_size=48M',
  'innodb_flush_log_at_trx_commit=2',
  'innodb_autoinc_lock_mode=2',
  'binlog_format=ROW',
  'wsrep_on=ON',
  'wsrep_slave_threads=4',
  'wsrep_sync_wait=1',
  'wsrep_sst_method=rsync',
  'wsrep_node_address=127.0.0.1',
  'wsrep_cluster_name=shipping',
];
const groupSettings =
  'gcache.size=64M;evs.keepalive_period=PT0.5S;evs.inactive_check_period=PT0.5S;evs.suspect_timeout=PT3S;evs.inactive_timeout=PT6S;evs.install_timeout=PT6S';

interface Ports {
  sql: number;
  group: number;
  ist: number;
  sst: number;
}

/** One server of the cluster. Its clients use root without a password. */
export class GaleraNode {
  private server: ChildProcess | undefined;

  constructor(
    readonly number: number,
    readonly folder: string,
    private readonly ports: Ports,
    private readonly members: () => string,
  ) {}

  get groupAddress(): string {
    return `127.0.0.1:${this.ports.group}`;
  }

  urlOf(database: string): string {
    return `mysql://root@127.0.0.1:${this.ports.sql}/${database}`;
  }

  async start(isFirst = false): Promise<void> {
    const { sql, ist, sst } = this.ports;
    const own = [
      ...settings,
      `datadir=${this.folder}/data`,
      `port=${sql}`,
      `socket=${this.folder}/socket`,
      `pid_file=${this.folder}/pid`,
      `wsrep_provider=${provider}`,
      `wsrep_cluster_address=gcomm://${isFirst ? '' : this.members()}`,
      `wsrep_node_name=node${this.number}`,
      `wsrep_sst_receive_address=127.0.0.1:${sst}`,
      `wsrep_provider_options=gmcast.listen_addr=tcp://${this.groupAddress};ist.recv_addr=127.0.0.1:${ist};${groupSettings}`,
      ...(user ? [`user=${user}`] : []),
    ];
    const log = await open(join(this.folder, 'log'), 'a');
    this.server = spawn('mariadbd', ['--no-defaults', ...own.map((setting) => `--${setting}`)], {
      stdio: ['ignore', log.fd, log.fd],
    });
    await log.close();
    await this.until('Synced', 120);
  }

  /** @param state as `wsrep_local_state_comment` says it */
  async until(state: string, seconds: number, size?: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      if (!this.isAlive) throw new Error(`Node ${this.number} has ended: ${await this.log()}`);
      const found = await this.status().catch(() => undefined);
      const fits = size === undefined || Number(found?.wsrep_cluster_size) === size;
      if (found?.wsrep_local_state_comment === state && found.wsrep_ready === 'ON' && fits) return;
      if (performance.now() > end)
        throw new Error(
          `Node ${this.number} is not ${state} but ${JSON.stringify(found)}: ${await this.log()}`,
        );
      await delay(100);
    }
  }

  private get isAlive(): boolean {
    return this.server?.exitCode === null && this.server.signalCode === null;
  }

  async status(): Promise<Record<string, string>> {
    const rows = await this.query<{ Variable_name: string; Value: string }>("SHOW STATUS LIKE 'wsrep_%'");
    return Object.fromEntries(rows.map(({ Variable_name, Value }) => [Variable_name, Value]));
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
    if (!this.server || !this.isAlive) return;
    this.server.kill('SIGKILL');
    await once(this.server, 'close');
  }

  /** Cuts the node off from the others, or lets it back. The clients still reach it. */
  async isolate(isCut: boolean): Promise<void> {
    await this.query(`SET GLOBAL wsrep_provider_options = 'gmcast.isolate=${Number(isCut)}'`);
  }

  private async log(): Promise<string> {
    return (await readFile(join(this.folder, 'log'), 'utf8')).slice(-2000);
  }
}

/** Three servers of MariaDB with Galera, on loopback, with data in a temporary folder. */
export class GaleraCluster {
  private constructor(
    private readonly folder: string,
    readonly nodes: readonly GaleraNode[],
  ) {}

  static async start(): Promise<GaleraCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'shipping-galera-'));
    const nodes: GaleraNode[] = [];
    const members = (): string => nodes.map(({ groupAddress }) => groupAddress).join(',');
    const cluster = new GaleraCluster(folder, nodes);
    try {
      console.log(`Galera: three nodes in ${folder}`);
      const empty = join(folder, 'empty');
      if (user) await run('chown', [user, folder]);
      await run('mariadb-install-db', [
        '--no-defaults',
        `--datadir=${empty}`,
        '--auth-root-authentication-method=normal',
        ...(user ? [`--user=${user}`] : []),
      ]);
      for (const number of [1, 2, 3]) {
        const [sql = 0, group = 0, ist = 0, sst = 0] = await freePorts(4);
        const own = await mkdtemp(join(folder, `node${number}-`));
        nodes.push(new GaleraNode(number, own, { sql, group, ist, sst }, members));
      }
      for (const node of nodes) {
        await cp(empty, join(node.folder, 'data'), { recursive: true });
        if (user) await run('chown', ['-R', user, node.folder]);
        await node.start(node.number === 1);
        console.log(`Galera: node ${node.number} of 3 is in`);
      }
      await Promise.all(nodes.map((node) => node.until('Synced', 30, 3)));
      return cluster;
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

function isThere(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function freePorts(count: number): Promise<number[]> {
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
