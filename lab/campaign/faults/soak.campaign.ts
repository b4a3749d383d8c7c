import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { Client } from '../../../test/support/client.js';
import { serverUrl } from '../../../test/support/database.js';
import { type SampleProcess } from '../../../test/support/sample-process.js';
import { startHost } from './start-host.js';
import { hostDatabase } from './host-database.js';

const minutes = Number(process.env['CAMPAIGN_SOAK_MINUTES'] ?? sized({ ci: 0, long: 30 }));
/** The growth is measured after this part, in which the host allocates the memory that it keeps. */
const warmUpShare = 1 / 3;
const readers = 8;

/** PGlite keeps its pages in the memory of the process, and the rows that were removed too. */
describe.skipIf(minutes === 0 || !serverUrl)('a long run at half load', () => {
  let database: Awaited<ReturnType<typeof hostDatabase>>;
  let sample: SampleProcess;
  beforeAll(async () => {
    database = await hostDatabase();
    sample = await startHost(database.env);
  });
  afterAll(async () => {
    await sample?.kill();
    await database?.clean();
  });

  it('does not let memory or handles grow', async () => {
    const shop = new Client(sample.origin, 'soaked');
    for (let index = 0; index < 100; index++) await shop.create(methodOf(index));
    const full = await requestsFor(shop, 10_000, 0);
    const pauseMs = (readers * 10_000) / full;

    const samples: { at: number; residentMiB: number; handles: number }[] = [];
    const since = performance.now();
    let requests = 0;
    for (let slice = 0; slice < 120; slice++) {
      requests += await requestsFor(shop, (minutes * 60_000) / 120, pauseMs);
      const at = (performance.now() - since) / (minutes * 60_000);
      samples.push({ at, residentMiB: sample.residentMiB, handles: sample.handles });
    }

    const warm = samples.filter(({ at }) => at > warmUpShare);
    // The minimum counts, because memory rises and falls between garbage collections.
    const third = Math.ceil(warm.length / 3);
    const first = Math.min(...warm.slice(0, third).map(({ residentMiB }) => residentMiB));
    const last = Math.min(...warm.slice(-third).map(({ residentMiB }) => residentMiB));
    const growth = (last / first - 1) * 100;
    const handles = [...new Set(warm.map((one) => one.handles))].toSorted((a, b) => a - b);
    expect(sample.isAlive).toBe(true);
    report({
      name: 'soak at half load',
      done: `${minutes} min, ${counted(requests)} requests: ${first.toFixed(0)} to ${last.toFixed(0)} MiB (${growth.toFixed(1)} %), ${handles[0]} to ${handles.at(-1)} handles`,
      criterion: 'resident memory grows by 2 % at most after the first third, handles within 20',
      met: growth <= 2 && (handles.at(-1) ?? 0) - (handles[0] ?? 0) <= 20,
    });
  });
});

function methodOf(index: number): Record<string, unknown> {
  return { carrier_code: `c${index % 5}`, method_code: `m${index}`, method_label: `Method ${index}` };
}

/** Ten requests are seven lists, a tree, and two rounds of a create, an update and a removal. */
async function requestsFor(shop: Client, milliseconds: number, pauseMs: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let requests = 0;
  const reader = async (): Promise<void> => {
    while (performance.now() < end) {
      const kind = requests++ % 10;
      if (kind < 7) await shop.list(`q=method&page=${1 + kind}&per_page=10`);
      else if (kind === 7) await shop.tree();
      else {
        const { body } = await shop.create(methodOf(1_000 + requests));
        await shop.update(body.id, { ...methodOf(1_000 + requests), method_label: 'Changed' });
        await shop.remove(body.id);
      }
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: readers }, reader));
  return requests;
}
