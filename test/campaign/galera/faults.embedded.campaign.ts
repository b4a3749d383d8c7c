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
    await cluster.setGlobal('wsrep_sync_wait', 1);
  }, 180_000);
  afterAll(() => cluster?.remove());

  const opened = async (): Promise<{ name: string; hosts: EngineHost[] }> => {
    const name = await newDatabase(cluster);
    const hosts: EngineHost[] = [];
    for (const node of cluster.nodes) hosts.push(await hostOf(node, name));
    return { name, hosts };
  };
  const nodeOf = (number: number): GaleraNode => cluster.nodes[number % 3] as GaleraNode;
  const whole = (): Promise<unknown> => Promise.all(cluster.nodes.map((node) => node.until('Synced', 120, 3)));
  /** How many different contents the nodes have. */
  const contents = async (name: string): Promise<number> => {
    const all = await Promise.all(
      cluster.nodes.map((node) => node.query(`CHECKSUM TABLE ${tables.join(', ')}`, name)),
    );
    return new Set(all.map((rows) => JSON.stringify(rows))).size;
  };

  const reckoned = async (title: string, ledger: Ledger, hosts: EngineHost[], name: string): Promise<void> => {
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
    const rounds = sized({ ci: 3, long: 20 });
    for (let round = 0; round < rounds; round++) {
      const node = nodeOf(round);
      const writing = ledger.write(8);
      await delay(1500);
      await node.kill();
      await Promise.all([1, 2].map((other) => nodeOf(round + other).until('Synced', 60, 2)));
      await delay(1500);
      await node.start();
      await node.query('SET GLOBAL wsrep_sync_wait = 1');
      await delay(1000);
      ledger.stop();
      await writing;
      console.log(`kill ${round + 1} of ${rounds}: ${ledger.acknowledged} acknowledged`);
    }
    await whole();
    await reckoned(`kill -9 of a node, ${rounds} times`, ledger, hosts, name);
    await Promise.all(hosts.map((host) => host.close()));
  });

  it('lose nothing when a node is cut off and comes back', async () => {
    const { name, hosts } = await opened();
    const project = freshProject();
    const ledger = await Ledger.of(hosts, project);
    const rounds = Number(process.env['CUTS'] ?? sized({ ci: 3, long: 20 }));
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
      let isOver = false;
      const marking = (async () => {
        while (!isOver) {
          const n = written + 1;
          const done = await apart.methods
            .update(`${project}r`, id ?? '', { ...shown, meta: { n } })
            .catch(() => undefined);
          if (done) written = n;
          await delay(20);
        }
      })();
      const reading = (async () => {
        while (!isOver) {
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
      isOver = true;
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
