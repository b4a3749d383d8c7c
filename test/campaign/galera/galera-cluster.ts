import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts, installIn, MariadbServer, missingOf, own } from '../mariadb-server.js';

const provider = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'].find((path) =>
  existsSync(path),
);
const programs = ['mariadbd', 'mariadb-install-db', 'wsrep_sst_rsync', 'rsync'];

/** Why no cluster can be started here; undefined: it can. */
export const missing = missingOf(programs).join(', ') || (provider ? undefined : 'libgalera_smm.so');

if (missing) console.log(`Skipped: Galera (no ${missing}; Debian has galera-4, mariadb-server and rsync).`);

/** Small, and with time-outs that are shorter than the usual ones, so that a run takes minutes. */
const settings = [
  `wsrep_provider=${provider}`,
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

/** One server of the cluster. Its clients use root without a password. */
export class GaleraNode {
  readonly groupAddress: string;

  private constructor(
    readonly number: number,
    private readonly server: MariadbServer,
    private readonly provided: readonly string[],
    private readonly members: () => string,
    group: number,
  ) {
    this.groupAddress = `127.0.0.1:${group}`;
  }

  /** @param folder with its data */
  static async in(folder: string, number: number, members: () => string): Promise<GaleraNode> {
    const [sql = 0, group = 0, ist = 0, sst = 0] = await freePorts(4);
    const provided = [
      `wsrep_node_name=node${number}`,
      `wsrep_sst_receive_address=127.0.0.1:${sst}`,
      `wsrep_provider_options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${ist};${groupSettings}`,
    ];
    return new GaleraNode(number, new MariadbServer(folder, sql), provided, members, group);
  }

  urlOf(database: string): string {
    return this.server.urlOf(database);
  }

  async start(isFirst = false): Promise<void> {
    const address = `wsrep_cluster_address=gcomm://${isFirst ? '' : this.members()}`;
    await this.server.start([...settings, ...this.provided, address]);
    await this.until('Synced', 120);
  }

  /** @param state as `wsrep_local_state_comment` says it */
  async until(state: string, seconds: number, size?: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const found = await this.status().catch(() => undefined);
      const fits = size === undefined || Number(found?.['wsrep_cluster_size']) === size;
      if (found?.['wsrep_local_state_comment'] === state && found['wsrep_ready'] === 'ON' && fits) return;
      if (!this.server.isAlive || performance.now() > end)
        throw new Error(
          `Node ${this.number} is not ${state} but ${JSON.stringify(found)}: ${await this.server.log()}`,
        );
      await delay(100);
    }
  }

  async status(): Promise<Record<string, string>> {
    const rows = await this.query<{ Variable_name: string; Value: string }>("SHOW STATUS LIKE 'wsrep_%'");
    return Object.fromEntries(rows.map(({ Variable_name, Value }) => [Variable_name, Value]));
  }

  query<Row = unknown>(sql: string, database?: string): Promise<Row[]> {
    return this.server.query(sql, database);
  }

  kill(): Promise<void> {
    return this.server.kill();
  }

  /** Cuts the node off from the others, or lets it back. The clients still reach it. */
  async isolate(isCut: boolean): Promise<void> {
    await this.query(`SET GLOBAL wsrep_provider_options = 'gmcast.isolate=${Number(isCut)}'`);
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
      await mkdir(empty);
      await own(folder);
      await installIn(empty);
      for (const number of [1, 2, 3]) {
        const folderOfNode = join(folder, `node${number}`);
        await cp(empty, folderOfNode, { recursive: true });
        await own(folderOfNode);
        const node = await GaleraNode.in(folderOfNode, number, members);
        nodes.push(node);
        await node.start(number === 1);
        console.log(`Galera: node ${number} of 3 is in`);
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
