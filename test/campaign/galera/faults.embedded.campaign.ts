import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject } from '../../support/client.js';
import { type EngineHost } from '../../engines/host.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { GaleraCluster, type GaleraNode, missing } from './galera-cluster.js';
import { hostOf, newDatabase } from './hosts.js';
import { Ledger } from './ledger.js';

const database = 'Galera';
const tables = ['shipping_project', 'shipping_method', 'shipping_order_event', 'note'];

describe.skipIf(missing)('three nodes of Galera under load', () => {
  let cluster: GaleraCluster;
  beforeAll(async () => {
    cluster = await GaleraCluster.start();
  }, 180_000);
  afterAll(() => cluster?.remove());

  const opened = async (): Promise<{ name: string; hosts: EngineHost[] }> => {
    const name = await newDatabase(cluster);
    const hosts: EngineHost[] = [];
    for (const node of cluster.nodes) hosts.push(await hostOf(node, name));
    return { name, hosts };
  };
  const nodeOf = (number: number): GaleraNode => cluster.nodes[number % 3] as GaleraNode;
  const whole = (): Promise<unknown> =>
    Promise.all(cluster.nodes.map((node) => node.until('Synced', 120, 3)));
  /** How many different contents the nodes have. */
  const contents = async (name: string): Promise<number> => {
    const all = await Promise.all(
      cluster.nodes.map((node) => node.query(`CHECKSUM TABLE ${tables.join(', ')}`, name)),
    );
    return new Set(all.map((rows) => JSON.stringify(rows))).size;
  };

  const reckoned = async (
    title: string,
    ledger: Ledger,
    hosts: EngineHost[],
    name: string,
  ): Promise<void> => {
    const found = await Promise.all(hosts.map((host) => ledger.reckon(host)));
    const lost = found.flatMap((one) => one.lost);
    const phantom = found.flatMap((one) => one.phantom);
    const different = await contents(name);
    console.log(ledger.outcomes, lost.slice(0, 20), phantom.slice(0, 20));
    const others = Object.keys(ledger.outcomes).filter((key) => key.startsWith('OTHER'));
    report({
      name: title,
      database,
      done: `${counted(ledger.acknowledged)} acknowledged: ${lost.length} lost, ${phantom.length} phantom, ${others.length} errors without a meaning, ${different} different contents`,
      criterion: '0 lost, 0 phantom, each error with a meaning, the same content on all nodes',
      met: lost.length + phantom.length + others.length === 0 && different === 1,
    });
  };

  it('lose nothing when a node is killed and comes back', async () => {
    const { name, hosts } = await opened();
    const ledger = await Ledger.of(hosts, freshProject());
    const rounds = sized({ ci: 2, long: 20 });
    for (let round = 0; round < rounds; round++) {
      const node = nodeOf(round);
      const writing = ledger.write(8);
      await delay(1500);
      await node.kill();
      await Promise.all([1, 2].map((other) => nodeOf(round + other).until('Synced', 60, 2)));
      await delay(1500);
      await node.start();
      await delay(1000);
      ledger.stop();
      await writing;
      console.log(`kill ${round + 1} of ${rounds}: ${ledger.acknowledged} acknowledged`);
    }
    expect(ledger.acknowledged).toBeGreaterThan(0);
    await whole();
    await reckoned(`kill -9 of a node, ${rounds} times`, ledger, hosts, name);
    await Promise.all(hosts.map((host) => host.close()));
  });

  it('are refused as a database where a read could be stale', async () => {
    const { name, hosts } = await opened();
    const [node] = cluster.nodes;
    await node?.query('SET GLOBAL wsrep_sync_wait = 0');

    await expect(hostOf(nodeOf(0), name)).rejects.toThrow(
      'has wsrep_sync_wait = 0, so that a node of Galera',
    );

    await node?.query('SET GLOBAL wsrep_sync_wait = 1');
    await Promise.all(hosts.map((host) => host.close()));
  });

  it('do not commit later what a node refused while it was cut off', async () => {
    const { hosts } = await opened();
    const [cut, apart] = hosts as [EngineHost, EngineHost];
    const project = freshProject();
    const rounds = sized({ ci: 1, long: 10 });
    const callers = 5;
    let refused = 0;
    let stale = 0;
    for (let round = 0; round < rounds; round++) {
      let end = (): void => undefined;
      const isCut = new Promise<void>((resolve) => {
        end = resolve;
      });
      const begun = Array.from({ length: callers }, (_, caller) =>
        cut.dataSource
          .transaction(async (manager) => {
            await cut.methods.list(project, {}, { manager });
            await cut.events.record(
              { projectId: project, orderId: `o${round}-${caller}`, type: 'a.b' },
              { manager },
            );
            await isCut;
          })
          .then(
            () => undefined,
            () => refused++,
          ),
      );
      await delay(500);
      await nodeOf(0).isolate(true);
      await Promise.all([1, 2].map((other) => nodeOf(other).until('Synced', 60, 2)));
      await delay(4000);
      end();
      await Promise.all(begun);
      const code = `m${round}`;
      await apart.methods.create(project, { carrier_code: 'ups', method_code: code, method_label: code });
      await nodeOf(0).isolate(false);
      await whole();
      // Each connection of the pool begins a transaction.
      await Promise.all(
        Array.from({ length: 40 }, () =>
          cut.dataSource.transaction((manager) => manager.query('DO SLEEP(0.05)')),
        ),
      );
      const pages = await Promise.all(
        Array.from({ length: 40 }, (_, n) => cut.methods.list(project, { q: code, per_page: n + 1 })),
      );
      stale += pages.filter(({ data }) => data.length === 0).length;
    }
    const orders = Array.from(
      { length: rounds * callers },
      (_, n) => `o${Math.floor(n / callers)}-${n % callers}`,
    );
    const lists = await Promise.all(orders.map((order) => apart.events.list(project, order)));
    const phantom = lists.flat().length;
    await Promise.all(hosts.map((host) => host.close()));
    expect(refused).toBe(rounds * callers);
    report({
      name: 'transactions that end while their node is cut off',
      database,
      done: `${refused} refused: ${phantom} committed later, ${stale} stale reads when the node was back`,
      criterion: '0 committed later, 0 stale',
      met: phantom + stale === 0,
    });
  });

  it('lose nothing when a node is cut off and comes back', async () => {
    const { name, hosts } = await opened();
    const project = freshProject();
    const ledger = await Ledger.of(hosts, project);
    const rounds = sized({ ci: 2, long: 20 });
    const shown = { carrier_code: 'dhl', method_code: 'shown', method_label: 'Shown' };
    const [first] = hosts;
    const { id } = (await first?.methods.create(`${project}r`, shown)) ?? {};
    let written = 0;
    let reads = 0;
    let refusedReads = 0;
    let stale = 0;
    for (let round = 0; round < rounds; round++) {
      const node = nodeOf(round);
      const cut = hosts[round % 3] as EngineHost;
      const apart = hosts[(round + 1) % 3] as EngineHost;
      const progress = { isOver: false };
      const marking = (async () => {
        while (!progress.isOver) {
          const n = written + 1;
          const done = await apart.methods
            .update(`${project}r`, id ?? '', { ...shown, meta: { n } })
            .catch(() => undefined);
          if (done) written = n;
          await delay(20);
        }
      })();
      const reading = (async () => {
        while (!progress.isOver) {
          const before = written;
          const page = await cut.methods.list(`${project}r`).catch(() => undefined);
          reads++;
          if (!page) refusedReads++;
          else if (Number(page.data[0]?.meta['n'] ?? 0) < before) stale++;
          await delay(20);
        }
      })();
      const writing = ledger.write(8);
      await delay(1500);
      await node.isolate(true);
      await Promise.all([1, 2].map((other) => nodeOf(round + other).until('Synced', 60, 2)));
      await delay(3000);
      await node.isolate(false);
      await whole();
      await delay(1000);
      ledger.stop();
      progress.isOver = true;
      await Promise.all([writing, marking, reading]);
      console.log(`cut ${round + 1} of ${rounds}: ${ledger.acknowledged} acknowledged`);
    }
    report({
      name: 'reads on a node that is cut off',
      database,
      done: `${counted(reads)} reads beside ${counted(written)} changes on another node, ${counted(refusedReads)} refused: ${stale} stale`,
      criterion: '0 stale',
      met: stale === 0 && refusedReads > 0,
    });
    await reckoned(`a partition that heals, ${rounds} times`, ledger, hosts, name);
    await Promise.all(hosts.map((host) => host.close()));
    expect(written).toBeGreaterThan(0);
  });
});
