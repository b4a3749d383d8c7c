import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject } from '../../support/client.js';
import { type EngineHost } from '../../engines/host.js';
import { counted, progress, report } from '../figures.js';
import { sized } from '../size.js';
import { GaleraCluster, missing } from './galera-cluster.js';
import { hostsOn, shopsOf } from './hosts.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const database = 'Galera';

describe.skipIf(missing)('three nodes of Galera', () => {
  let cluster: GaleraCluster;
  beforeAll(async () => {
    cluster = await GaleraCluster.start();
  }, 180_000);
  afterAll(() => cluster?.remove());

  it('lose no acknowledged update on connections that have prepared nothing yet', async () => {
    const rounds = sized({ ci: 8, long: 100 });
    const wrong: string[] = [];
    let acknowledged = 0;
    for (let round = 1; round <= rounds; round++) {
      const hosts = await hostsOn(cluster);
      const base = freshProject();
      const end = Date.now() + 1_500;
      let numbered = 0;
      const write = async ({ methods }: EngineHost): Promise<void> => {
        while (Date.now() < end) {
          const number = numbered++;
          const project = `${base}-${number % 12}`;
          const method = { ...ground, method_code: `m${number}` };
          // A refused change changes nothing, so the next version is known.
          const made = await methods.create(project, method).catch(() => undefined);
          let version = 1;
          for (const method_label of made ? ['first', 'second'] : []) {
            const changed = await methods
              .update(project, made?.id ?? '', { ...method, method_label })
              .catch(() => undefined);
            if (!changed) continue;
            acknowledged++;
            if (changed.version !== ++version || changed.method_label !== method_label)
              wrong.push(`${method_label}: ${JSON.stringify(changed)}`);
          }
        }
      };
      await Promise.all(hosts.flatMap((host) => Array.from({ length: 8 }, () => write(host))));
      await Promise.all(hosts.map((host) => host.close()));
      progress('Galera, new connections', round, rounds);
    }
    expect(acknowledged).toBeGreaterThan(0);
    console.log(wrong.slice(0, 10));
    report({
      name: `updates on new connections, ${rounds} times`,
      database,
      done: `${counted(acknowledged)} acknowledged: ${wrong.length} that were not stored`,
      criterion: '0 that were not stored',
      met: wrong.length === 0,
    });
  });

  describe.each([
    ['wsrep_sync_wait = 1', true],
    ['wsrep_sync_wait = 0', false],
  ])('with %s', (setting, waits) => {
    let hosts: EngineHost[];
    beforeAll(async () => {
      hosts = await hostsOn(cluster, { waits });
    });
    afterAll(() => Promise.all((hosts ?? []).map((host) => host.close())));

    it('let one of many racing creates win', async () => {
      const [rounds, racers] = [sized({ ci: 30, long: 200 }), 48];
      const project = freshProject();
      const shop = shopsOf(hosts, project);
      const counts = { 201: 0, 409: 0, 503: 0, other: 0 };
      let wrong = 0;
      for (let round = 0; round < rounds; round++) {
        const answers = await Promise.all(
          Array.from({ length: racers }, (_, racer) =>
            shop(racer).create({ ...ground, method_code: `m${round}` }),
          ),
        );
        for (const { status, text } of answers) {
          if (status in counts) counts[status as 201]++;
          else {
            counts.other++;
            console.log(status, text);
          }
        }
        const winners = answers.filter(({ status }) => status === 201);
        const holders = new Set(
          answers.filter(({ status }) => status === 409).map(({ body }) => body['existing_id']),
        );
        if (winners.length !== 1 || holders.size > 1 || !holders.has(winners[0]?.body.id)) wrong++;
      }
      const { total } = (await shop(0).list()).body.meta;
      expect(counts.other).toBe(0);
      report({
        name: `create race, ${setting}`,
        database,
        done: `${rounds} pairs × ${racers} racers on three nodes: ${total} rows, ${JSON.stringify(counts)}, ${wrong} wrong rounds`,
        criterion: 'one row and one 201 for each pair, the rest 409',
        met: wrong === 0 && counts[201] === rounds && counts[409] === rounds * (racers - 1),
      });
    });

    it.each([
      ['that send the version', true],
      ['that send no version', false],
    ])('lose no acknowledged update of writers %s', async (writers, sendsVersion) => {
      const [count, updates] = [12, sized({ ci: 100, long: 2_000 })];
      const shop = shopsOf(hosts, freshProject());
      const { id } = (await shop(0).create(ground)).body;
      const versions: number[] = [];
      const statuses: Record<number, number> = {};
      let skipped = 0;
      let next = 0;
      const writer = async (number: number): Promise<void> => {
        let known = 1;
        for (let update = 0; update < updates; update++) {
          progress(`updates ${writers}`, ++next, count * updates);
          const change = { ...ground, sort_order: number * updates + update, meta: { writer: number } };
          const headers: Record<string, string> = sendsVersion ? { 'if-match': `"${known}"` } : {};
          const { status, body, text } = await shop(number).update(id, change, headers);
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (![200, 412, 503].includes(status)) console.log(status, text);
          if (status === 200) versions.push(body.version);
          if (sendsVersion && status === 200 && body.version !== known + 1) skipped++;
          if (status === 200) known = body.version;
          if (status === 412) known = Number(body['current_version']);
        }
      };
      await Promise.all(Array.from({ length: count }, (_, number) => writer(number + 1)));
      await new Promise((soon) => setTimeout(soon, waits ? 0 : 1000));
      const finals = await Promise.all(
        [0, 1, 2].map(async (node) => (await shop(node).list()).body.data[0]?.version),
      );
      const twice = versions.length - new Set(versions).size;
      report({
        name: `lost update, writers ${writers}, ${setting}`,
        database,
        done: `${count} writers × ${updates}: ${counted(versions.length)} acknowledged, ${JSON.stringify(statuses)}, version ${finals.join(' ')}, ${twice} versions twice, ${skipped} skipped`,
        criterion: 'version = 1 + acknowledged on all nodes, no version twice',
        met: finals.every((version) => version === 1 + versions.length) && twice === 0 && skipped === 0,
      });
      expect(versions.length).toBeGreaterThan(0);
    });
  });
});
