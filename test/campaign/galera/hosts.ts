import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { Client } from '../../support/client.js';
import { type EngineDatabase } from '../../engines/databases.js';
import { type EngineHost, hostOn, hostWithSessions } from '../../engines/host.js';
import { type GaleraCluster, type GaleraNode } from './galera-cluster.js';

/** Creates a database for one attack. It ends with the cluster. @returns its name */
export async function newDatabase({ nodes }: GaleraCluster): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await nodes[0]?.query(`CREATE DATABASE ${name}`);
  for (const node of nodes) while (!(await hasDatabase(node, name))) await delay(20);
  return name;
}

/** One host of the module on each node. The first one migrates. */
export async function hostsOn(
  cluster: GaleraCluster,
  { name, waits = true }: { name?: string; waits?: boolean } = {},
): Promise<EngineHost[]> {
  const database = name ?? (await newDatabase(cluster));
  const hosts: EngineHost[] = [];
  for (const node of cluster.nodes) hosts.push(await hostOf(node, database, waits));
  return hosts;
}

/** @param waits whether a read waits until the node has applied what the others had committed before */
export function hostOf(node: GaleraNode, database: string, waits = true): Promise<EngineHost> {
  const of: EngineDatabase = {
    options: {
      entities: shippingEntities,
      migrations: shippingMigrations,
      migrationsRun: true,
      type: 'mariadb',
      url: node.urlOf(database),
      timezone: 'Z',
    },
    drop: () => Promise.resolve(),
  };
  if (waits) return hostOn(of, {}, { poolSize: 10 });
  return hostWithSessions(of, ['SET SESSION wsrep_sync_wait = 0'], 10);
}

/** The clients of hosts, by any number. */
export function shopsOf(hosts: readonly EngineHost[], project: string): (number: number) => Client {
  const clients = hosts.map(({ origin }) => new Client(origin, project));
  return (number) => clients[number % clients.length] ?? new Client('', project);
}

async function hasDatabase(node: GaleraNode, name: string): Promise<boolean> {
  return (await node.query(`SHOW DATABASES LIKE '${name}'`)).length > 0;
}
