import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { start } from '../contenders.mjs';
import { cpuSeconds } from '../cpu.mjs';
import { startGenerator } from '../load/load.mjs';
import { median, printRows, short } from '../report/rows.mjs';
import { cost, microseconds, whole } from './format.mjs';

/** Instances of the sample, and the connections of clients to each. */
const setUps = [
  { instances: 1, connections: 4 },
  { instances: 1, connections: 16 },
  { instances: 1, connections: 64 },
  { instances: 2, connections: 16 },
  { instances: 4, connections: 16 },
];
const most = Math.max(...setUps.map(({ instances }) => instances));

const probe = fileURLToPath(new URL('probe.mjs', import.meta.url));

export function startInstance(database) {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
  return start('ours', { database, args: ['--import', probe], stdio, path: '/' });
}

/** Measures warm lists: how many requests share a look-up, and what they cost the instances and the database. */
export async function measureInstances({ database, first, size, rounds, seconds }) {
  const instances = [first];
  while (instances.length < most) instances.push(await startInstance(database));
  const generators = instances.map(() => startGenerator());
  const load = (used, connections, length) =>
    Promise.all(
      used.map(({ port }, index) => {
        const job = { scenario: 'list20', contender: 'ours', size, port, from: 0 };
        return generators[index]({ ...job, connections, seconds: length });
      }),
    );
  // Each compiles its code and fills its cache.
  await load(instances, 16, 2);
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? setUps : setUps.toReversed();
    const results = new Map();
    for (const setUp of order) {
      const used = instances.slice(0, setUp.instances);
      const before = await costs(used, database);
      const loads = await load(used, setUp.connections, seconds);
      const after = await costs(used, database);
      results.set(setUp, spent(before, after, loads));
    }
    measured.push(results);
  }
  printRows(
    setUps.map((setUp) => rowOf(setUp, measured)),
    {
      setUp: 'instances × connections',
      batch: 'requests in a look-up',
      server: 'CPU of the instances',
      database: 'CPU of the database',
      spread: 'spread',
      ratio: 'busy instances per core of the database',
      rate: 'requests a second here',
    },
  );
}

async function costs(instances, { pid }) {
  return {
    sent: sum(await Promise.all(instances.map(sentBy))),
    server: sum(instances.map(({ child }) => cpuSeconds(child.pid))),
    database: cpuSeconds(pid),
  };
}

async function sentBy({ child }) {
  child.send('measure');
  const [{ sent }] = await once(child, 'message');
  return sent;
}

/** What one request took. */
function spent(before, after, loads) {
  const requests = sum(loads.map(({ next }) => next));
  const server = (after.server - before.server) / requests;
  const database = (after.database - before.database) / requests;
  const rate = sum(loads.map((measured) => measured.rate));
  return { rate, server, database, ratio: server / database, batch: requests / (after.sent - before.sent) };
}

function rowOf(setUp, rounds) {
  const of = (key) => rounds.map((round) => round.get(setUp)[key]);
  return {
    setUp: `${setUp.instances} × ${setUp.connections}`,
    batch: short(median(of('batch'))),
    server: microseconds(median(of('server'))),
    ...cost('database', of('database')),
    ratio: short(median(of('ratio'))),
    rate: whole(median(of('rate'))),
  };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
