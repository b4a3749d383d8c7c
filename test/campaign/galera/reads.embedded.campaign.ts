import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, freshProject } from '../../support/client.js';
import { type EngineHost } from '../../engines/host.js';
import { counted, progress, report } from '../figures.js';
import { sized } from '../size.js';
import { GaleraCluster, missing } from './galera-cluster.js';
import { hostsOn, shopsOf } from './hosts.js';

const database = 'Galera';
const queries = ['', 'per_page=2', 'q=r', 'filter[is_active]=true', 'tree'];

/** The number of the write that a method shows, by its code. */
type Counts = Record<string, number>;

interface Shown {
  method_code: string;
  meta: Record<string, unknown>;
}

describe.skipIf(missing)('three nodes of Galera', () => {
  let cluster: GaleraCluster;
  beforeAll(async () => {
    cluster = await GaleraCluster.start();
  }, 180_000);
  afterAll(() => cluster?.remove());

  describe.each([
    ['wsrep_sync_wait = 1', true],
    ['wsrep_sync_wait = 0', false],
  ])('with %s', (setting, waits) => {
    let hosts: EngineHost[];
    beforeAll(async () => {
      hosts = await hostsOn(cluster, { waits });
    });
    afterAll(() => Promise.all((hosts ?? []).map((host) => host.close())));

    it('give each ETag one body on all nodes, and no stale one', async () => {
      const wanted = sized({ ci: 6_000, long: 60_000 });
      const project = freshProject();
      const shop = shopsOf(hosts, project);
      const defaults = shopsOf(hosts, 'default');
      const codes = ['r1', 'r2', 'r3'];
      const written: Counts = {};
      const ids: Record<string, string> = {};
      const method = (code: string, n: number) => ({
        carrier_code: 'ups',
        method_code: code,
        method_label: `Carrier ${code}`,
        meta: { n },
      });
      for (const code of codes) ids[code] = (await shop(0).create(method(code, 0))).body.id;
      const inherited = `d${project}`;
      ids[inherited] = (await defaults(0).create(method(inherited, 0))).body.id;
      await shop(0).create({ ...method(inherited, 0), use_default: true });
      for (const code of [...codes, inherited]) written[code] = 0;
      if (!waits) await delay(1000);

      let reads = 0;
      let writes = 0;
      let refused = 0;
      let stale = 0;
      let unchanged = 0;
      const isDone = (): boolean => reads >= wanted;
      const bodies = new Map<string, string>();
      const conflicts: unknown[] = [];
      const lastTags = new Map<string, string>();
      const read = async (client: Client, query: string): Promise<void> => {
        progress(`reads, ${setting}`, ++reads, wanted);
        const before = { ...written };
        const key = `${client.origin} ${query}`;
        const tag = lastTags.get(key);
        const headers: Record<string, string> = tag && Math.random() < 0.5 ? { 'if-none-match': tag } : {};
        const answer = query === 'tree' ? await client.tree(headers) : await client.list(query, headers);
        if (answer.status === 503) return;
        const etag = answer.headers.get('etag') ?? '';
        const name = `${query} ${etag}`;
        const known = bodies.get(name);
        if (answer.status === 304) unchanged++;
        const text = answer.status === 304 ? (known ?? '') : answer.text;
        if (known !== undefined && known !== text) conflicts.push([name, known, text]);
        bodies.set(name, text);
        lastTags.set(key, etag);
        const { data } = JSON.parse(text) as { data: (Shown | { methods: Shown[] })[] };
        const shown = data.flatMap((entry) => ('methods' in entry ? entry.methods : entry));
        if (shown.some(({ method_code, meta }) => Number(meta['n']) < (before[method_code] ?? 0))) stale++;
      };
      const reader = async (number: number): Promise<void> => {
        while (!isDone()) await read(shop(number), any(queries));
      };
      /** Each method has one writer, which goes from node to node. */
      const writer = async (code: string): Promise<void> => {
        for (let n = 1; !isDone(); n++) {
          const shops = code === inherited ? defaults : shop;
          const { status } = await shops(n).update(ids[code] ?? '', method(code, n));
          if (status === 200) {
            written[code] = n;
            writes++;
            await read(shop(n + 1), any(queries));
          } else refused++;
          expect([200, 503]).toContain(status);
        }
      };
      await Promise.all([...[0, 1, 2, 3, 4, 5].map(reader), ...[...codes, inherited].map(writer)]);

      const done = `${counted(reads)} reads (${counted(unchanged)} were 304) beside ${counted(writes)} writes (${refused} refused) on three nodes`;
      report({
        name: `one body for each ETag, ${setting}`,
        database,
        done: `${done}: ${counted(bodies.size)} ETags, ${conflicts.length} with two bodies`,
        criterion: 'none with two bodies',
        met: conflicts.length === 0,
      });
      report({
        name: `stale reads, ${setting}`,
        database,
        done: `${done}: ${stale} stale`,
        criterion: waits ? '0 stale' : 'none: this is what is refused at boot',
        met: !waits || stale === 0,
      });
    });

    it('show a write to a read on another node that begins after it', async () => {
      const rounds = sized({ ci: 600, long: 6_000 });
      const shop = shopsOf(hosts, freshProject());
      let missed = 0;
      for (let round = 0; round < rounds; round++) {
        const { body } = await shop(round).create({
          carrier_code: 'ups',
          method_code: `m${round}`,
          method_label: 'x',
        });
        const { status } = await shop(round + 1).update(
          body.id,
          { carrier_code: 'ups', method_code: `m${round}`, method_label: 'y' },
          { 'if-match': body.etag },
        );
        if (status !== 200) missed++;
      }
      expect(missed).toBeLessThan(rounds);
      report({
        name: `a change on the next node, ${setting}`,
        database,
        done: `${counted(rounds)} times created and then changed on the next node: ${missed} were not found`,
        criterion: waits ? '0 not found' : 'none: this is what is refused at boot',
        met: !waits || missed === 0,
      });
    });
  });
});

function any<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}
