import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { addEvents } from '../support/rows.js';

const mebibyte = 1024 * 1024;

describe('a stream of events', () => {
  const host = mounted();

  it('reads 20,000 events in less than 10 MB of memory', async () => {
    const order = { projectId: freshProject(), orderId: 'huge' };
    await addEvents(host.dataSource.manager, order, 20_000, (n) => ({
      occurredAt: new Date(Math.trunc(n / 7) * 1000),
      message: `Event ${n}`,
      data: { n: 1 },
    }));
    const before = liveMemory();
    let [peak, count] = [before, 0];

    for await (const { id } of host.events.stream(order)) {
      if (id && ++count % 5_000 === 0) peak = Math.max(peak, liveMemory());
    }

    expect(count).toBe(20_000);
    expect((peak - before) / mebibyte).toBeLessThan(10);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** @returns the bytes that are in use after a garbage collection */
function liveMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
