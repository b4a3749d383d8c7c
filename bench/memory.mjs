import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { start } from './contenders.mjs';
import { large, longOrder, order, shop } from './data/catalogue.mjs';
import { load } from './data/load.mjs';
import { sizes } from './data/sizes.mjs';
import { startGenerator } from './load/load.mjs';
import { newDatabase } from './postgres.mjs';
import { stop } from './processes.mjs';
import { amountRow, median } from './report/rows.mjs';
import { orders } from './scenarios.mjs';

const probe = fileURLToPath(new URL('probe.mjs', import.meta.url));

const megabyte = 1024 * 1024;

/** Measures the memory of the process for large answers, and for very many different ones. */
export async function measureMemory({ million }) {
  const database = await newDatabase('shipping_memory');
  const size = sizes.memory;
  const migrating = await start('ours', { database, path: '/' });
  await load(database.url, size, []);
  await stop(migrating.child);

  const generate = startGenerator();
  const send = (scenario, port, from, until) =>
    generate({ scenario, contender: 'ours', size, port, connections: 16, from, until });
  const history = `${orders(shop(0))}/${order(longOrder)}/events`;
  const tree = `${orders(large(size.large[0]))}/shipments/methods/tree`;
  const events = await growthOf(database, send, ({ origin }) => readLarge(origin + history));
  const methods = await growthOf(database, send, ({ origin }) => readLarge(origin + tree));
  const count = million ? 1_000_000 : 100_000;
  const third = count / 3;
  const queries = await growthOf(database, send, ({ port }, time) =>
    send('distinct', port, Math.floor(time * third), Math.floor((time + 1) * third)),
  );

  const counted = (number) => number.toLocaleString('en-US');
  return {
    rows: [
      amountRow(`memory for ${counted(size.longHistory)} events`, events.bytes / megabyte, 'MB', 24),
      amountRow(
        `memory for a tree of ${counted(size.large[0])} methods, the most by default`,
        methods.bytes / megabyte,
        'MB',
        40,
      ),
      amountRow('worst stall of the event loop in both', Math.max(events.stallMs, methods.stallMs), 'ms', 20),
      amountRow(`memory for ${counted(count)} different list queries`, queries.bytes / megabyte, 'MB'),
    ],
  };
}

/**
 * Measures a process that has already worked, so that memory for compiled code and usual requests is not part of the
 * growth. It measures three times. Of the longest stalls the middle one counts, because another process may have
 * caused one of them.
 */
async function growthOf(database, send, act) {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
  const served = await start('ours', { database, args: ['--import', probe], stdio });
  await send('events', served.port, 0, 10_000);
  const before = await probed(served.child);
  const after = [];
  for (let time = 0; time < 3; time++) {
    await act(served, time);
    after.push(await probed(served.child));
  }
  await stop(served.child);
  return { bytes: after[2].maxRss - before.maxRss, stallMs: median(after.map(({ stallMs }) => stallMs)) };
}

async function readLarge(url) {
  const response = await fetch(url);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  if (!response.ok || bytes < 2 * megabyte)
    throw new Error(`${response.status} and ${bytes} bytes to ${url}`);
}

/** The peak of its memory, and the longest stall of its event loop since the last call. */
async function probed(child) {
  child.send('measure');
  const [measured] = await once(child, 'message');
  return measured;
}
