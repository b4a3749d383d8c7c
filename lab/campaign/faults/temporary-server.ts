import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverUrl } from '../../../test/support/database.js';
import { freePorts, MariadbServer, missingOf } from '../mariadb-server.js';
import { Cluster, hasClusters } from './cluster.js';

const kind = (['mariadb', 'mysql'] as const).find((scheme) => serverUrl?.startsWith(`${scheme}:`));
const isPostgres = !!serverUrl?.startsWith('postgres');
const missing = kind ? missingOf(kind) : [];
if (missing.length > 0)
  console.log(`Skipped: tests with temporary servers of the kind ${kind} (no ${missing.join(', ')}).`);

/** Whether a server for one test can be started here. */
export const hasTemporaryServers = kind ? missing.length === 0 : isPostgres && hasClusters;

/** A server of this run's engine for one test, which the test may damage. It syncs to its disk at each commit. */
export interface TemporaryServer {
  /** For a superuser. */
  readonly url: string;
  /** Ends as at a power cut. */
  crash(): Promise<void>;
  /** Again after a crash. */
  start(): Promise<void>;
  isAlive(): Promise<boolean>;
  remove(): Promise<void>;
}

/** @param parent the folder for its own one */
export async function temporaryServer(parent = tmpdir()): Promise<TemporaryServer> {
  return kind ? mysql(kind, parent) : postgres(parent);
}

async function postgres(parent: string): Promise<TemporaryServer> {
  const cluster = await Cluster.primary({ max_wal_size: '64MB', wal_recycle: 'off' }, parent);
  return {
    url: cluster.url,
    crash: () => cluster.crash(),
    start: () => cluster.start(),
    isAlive: () => cluster.isAlive(),
    remove: () => cluster.remove(),
  };
}

async function mysql(engine: 'mariadb' | 'mysql', parent: string): Promise<TemporaryServer> {
  const folder = await mkdtemp(join(parent, `${engine}-`));
  const [port = 0] = await freePorts(1);
  const server = new MariadbServer(engine, folder, port);
  await server.install();
  await server.start();
  return {
    url: server.urlOf(''),
    crash: () => server.kill(),
    start: () => server.start(),
    isAlive: () => Promise.resolve(server.isAlive),
    remove: async () => {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
