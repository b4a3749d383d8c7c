import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject } from '../../support/client.js';
import { type EngineHost } from '../../engines/host.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { GaleraCluster, missing } from './galera-cluster.js';
import { hostsOn } from './hosts.js';

const database = 'Galera';

describe.skipIf(missing)('the events of three nodes of Galera', () => {
  let cluster: GaleraCluster;
  let hosts: EngineHost[];
  const host = (number: number): EngineHost => hosts[number % hosts.length] as EngineHost;
  beforeAll(async () => {
    cluster = await GaleraCluster.start();
    hosts = await hostsOn(cluster);
  }, 180_000);
  afterAll(async () => {
    await Promise.all((hosts ?? []).map((one) => one.close()));
    await cluster?.remove();
  });

  it('come exactly once in a history that is read while others are recorded', async () => {
    const [recorders, wanted] = [12, sized({ ci: 3_000, long: 30_000 })];
    const event = { projectId: freshProject(), orderId: 'o1', type: 'order.note_added' } as const;
    const recorded = new Set<string>();
    let refused = 0;
    const progress = { isDone: false };
    const recorder = async (number: number): Promise<void> => {
      while (recorded.size < wanted) {
        const outcome = await host(number)
          .events.record(event)
          .catch(() => undefined);
        if (outcome) recorded.add(outcome.id);
        else refused++;
      }
    };
    let lists = 0;
    let lost = 0;
    let twice = 0;
    let unordered = 0;
    const reader = async (number: number): Promise<void> => {
      while (!progress.isDone) {
        const before = [...recorded];
        const list = await host(number).events.list(event.projectId, event.orderId);
        const ids = new Set(list.map(({ id }) => id));
        lists++;
        lost += before.filter((id) => !ids.has(id)).length;
        twice += list.length - ids.size;
        unordered += list.filter(
          ({ occurred_at }, index) => occurred_at < (list[index - 1]?.occurred_at ?? ''),
        ).length;
      }
    };
    const reading = Promise.all([0, 1, 2].map(reader));
    await Promise.all(Array.from({ length: recorders }, (_, number) => recorder(number)));
    progress.isDone = true;
    await reading;

    expect(lists).toBeGreaterThan(0);
    const ends = await Promise.all(hosts.map(({ events }) => events.list(event.projectId, event.orderId)));
    const texts = new Set(ends.map((list) => JSON.stringify(list)));
    const phantom = (ends[0] ?? []).filter(({ id }) => !recorded.has(id)).length;
    report({
      name: 'histories beside recording',
      database,
      done: `${counted(recorded.size)} events by ${recorders} recorders (${refused} refused), read ${counted(lists)} times meanwhile: ${lost} missing, ${twice} twice, ${phantom} phantom, ${unordered} not by time, ${texts.size} different histories in the end`,
      criterion: '0 missing, twice, phantom or not by time; one history',
      met: lost + twice + phantom + unordered === 0 && texts.size === 1 && ends[0]?.length === recorded.size,
    });
  });

  it.each([
    ['each at its own time', {}],
    ['all of one occurredAt', { occurredAt: '2026-01-31T09:30:00.000Z' }],
  ])('are all there and in order of their times: %s', async (title, when) => {
    const rounds = sized({ ci: 600, long: 6_000 });
    const event = { projectId: freshProject(), orderId: 'o1', type: 'order.note_added', ...when } as const;
    const recorded: { id: string; at: string }[] = [];
    for (let round = 0; round < rounds; round++) {
      const { id, occurred_at } = await host(round).events.record(event);
      recorded.push({ id, at: occurred_at });
    }
    const ids = (await host(0).events.list(event.projectId, event.orderId)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(rounds);
    const rank = new Map(ids.map((id, index) => [id, index]));
    const pairs = recorded.slice(1).map((later, index) => ({ earlier: recorded[index] ?? later, later }));
    const swapped = pairs.filter(
      ({ earlier, later }) => (rank.get(earlier.id) ?? 0) > (rank.get(later.id) ?? 0),
    );
    const byTime = swapped.filter(({ earlier, later }) => earlier.at < later.at).length;
    report({
      name: `events one after the other on the nodes in turn, ${title}`,
      database,
      done: `${counted(rounds)} events: ${swapped.length} come before the one that was recorded just before them, ${byTime} of these with a later time`,
      criterion: 'all there, none with a later time comes earlier',
      met: ids.length === rounds && byTime === 0,
    });
  });

  it('with a dedupeKey exist once', async () => {
    const [rounds, recorders] = [sized({ ci: 100, long: 1_000 }), 12];
    const projectId = freshProject();
    let wrong = 0;
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      const event = { projectId, orderId: 'o1', type: 'order.placed', dedupeKey: `k${round}` } as const;
      const ids = await Promise.all(
        Array.from({ length: recorders }, (_, number) =>
          host(number)
            .events.record(event)
            .then(
              ({ id }) => id,
              () => undefined,
            ),
        ),
      );
      const given = ids.filter((id) => id !== undefined);
      refused += ids.length - given.length;
      if (new Set(given).size !== 1) wrong++;
    }
    const { length } = await host(1).events.list(projectId, 'o1');
    expect(refused).toBeLessThan(rounds);
    report({
      name: 'one dedupeKey on three nodes',
      database,
      done: `${rounds} keys × ${recorders} recorders: ${length} events, ${wrong} keys with two answers, ${refused} refused`,
      criterion: 'one event for each key, the same for all',
      met: length === rounds && wrong === 0,
    });
  });
});
