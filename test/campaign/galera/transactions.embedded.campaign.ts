import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject } from '../../support/client.js';
import { type EngineHost } from '../../engines/host.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { GaleraCluster, missing } from './galera-cluster.js';
import { hostsOn } from './hosts.js';

const database = 'Galera';
const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe.skipIf(missing)("callers' transactions on three nodes of Galera", () => {
  let cluster: GaleraCluster;
  let hosts: EngineHost[];
  const host = (number: number): EngineHost => hosts[number % hosts.length] as EngineHost;
  beforeAll(async () => {
    cluster = await GaleraCluster.start();
    hosts = await hostsOn(cluster);
    await host(0).dataSource.query(
      'CREATE TABLE note (n varchar(64) PRIMARY KEY, version int, method char(36))',
    );
  }, 180_000);
  afterAll(async () => {
    await Promise.all((hosts ?? []).map((one) => one.close()));
    await cluster?.remove();
  });

  /** What a transaction does. Another node changes the same method in the midst of it. */
  const kinds = {
    'the other change after our calls': async (change, record, _nested, other) => {
      await change();
      await record();
      await other();
    },
    'the other change between our calls': async (change, record, _nested, other) => {
      await change();
      await other();
      await record().catch(() => undefined);
    },
    'the other change between, in a savepoint': async (change, record, nested, other) => {
      await change();
      await nested(async () => {
        await other();
        await record();
      }).catch(() => undefined);
    },
    'both at once': async (change, record, _nested, other) => {
      await Promise.all([
        change()
          .then(record)
          .catch(() => undefined),
        other(),
      ]);
    },
    'the other change last, and a savepoint': async (change, record, nested, other) => {
      await nested(async () => {
        await change();
        await record();
      });
      await other();
    },
  } satisfies Record<
    string,
    (
      change: () => Promise<unknown>,
      record: () => Promise<unknown>,
      nested: (work: () => Promise<unknown>) => Promise<unknown>,
      other: () => Promise<unknown>,
    ) => Promise<unknown>
  >;

  it.each(Object.entries(kinds))('are committed or refused as a whole: %s', async (kind, work) => {
    const rounds = sized({ ci: 60, long: 600 });
    const project = freshProject();
    const { id } = await host(0).methods.create(project, ground);
    let committed = 0;
    let refused = 0;
    let torn = 0;
    const messages: Record<string, number> = {};
    for (let round = 0; round < rounds; round++) {
      const name = `${project}-${round}`;
      const note = (manager: EntityManager, part: string): Promise<unknown> =>
        manager.query('INSERT INTO note VALUES (?, ?, ?)', [`${name}-${part}`, round, id]);
      const own = host(round);
      const outcome = await own.dataSource
        .transaction(async (manager) => {
          await note(manager, 'before');
          let inner = manager;
          await work(
            () => own.methods.update(project, id, { ...ground, meta: { own: round } }, { manager: inner }),
            () =>
              own.events.record(
                { projectId: project, orderId: name, type: 'order.placed' },
                { manager: inner },
              ),
            (nestedWork) =>
              manager.transaction((nested) => {
                inner = nested;
                return nestedWork().finally(() => {
                  inner = manager;
                });
              }),
            () => host(round + 1).methods.update(project, id, { ...ground, meta: { other: round } }),
          );
          await note(manager, 'after');
        })
        .then(
          () => 'committed',
          (error: Error) => error.message,
        );
      if (outcome === 'committed') committed++;
      else {
        refused++;
        messages[outcome] = (messages[outcome] ?? 0) + 1;
      }
      const reader = host(round + 2);
      const notes = await reader.dataSource.query<unknown[]>('SELECT n FROM note WHERE n LIKE ?', [
        `${name}-%`,
      ]);
      const events = await reader.events.list(project, name);
      const whole = outcome === 'committed' ? [2, 1] : [0, 0];
      if (notes.length !== whole[0] || events.length !== whole[1]) {
        torn++;
        console.log(kind, outcome, notes, events.length);
      }
      const { meta } = await reader.methods.find(project, id);
      if (outcome !== 'committed' && meta['own'] === round) torn++;
    }
    console.log(messages);
    expect(committed + refused).toBe(rounds);
    report({
      name: `caller's transaction: ${kind}`,
      database,
      done: `${counted(rounds)} transactions: ${committed} committed, ${refused} refused, ${torn} torn`,
      criterion: 'all of it or nothing, as the caller was told; some were refused',
      met: torn === 0 && refused > 0,
    });
  });
});
