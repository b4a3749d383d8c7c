import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { addEvents } from '../support/rows.js';

const mebibyte = 1024 * 1024;

describe('20,000 events of one order', () => {
  const host = mounted();
  const order = { projectId: freshProject(), orderId: 'huge' };

  beforeAll(async () => {
    await addEvents(host.dataSource.manager, order, 20_000, (n) => ({
      occurredAt: new Date(Math.trunc(n / 7) * 1000),
      message: `Event ${n}`,
      data: { n: 1 },
    }));
  });

  it('are streamed in less than 10 MB of memory', async () => {
    const before = liveMemory();
    let [peak, count] = [before, 0];

    for await (const { id } of host.events.stream(order)) {
      if (id && ++count % 5_000 === 0) peak = Math.max(peak, liveMemory());
    }

    expect(count).toBe(20_000);
    expect((peak - before) / mebibyte).toBeLessThan(10);
  });

  it('are redacted in less than 5 MB of memory', async () => {
    const heapBefore = liveHeap();
    let [heapPeak, statements] = [heapBefore, 0];
    const logged = vi.spyOn(host.dataSource.logger, 'logQuery').mockImplementation(() => {
      if (++statements % 20 === 0) heapPeak = Math.max(heapPeak, liveHeap());
    });

    const changed = await host.events.redactHistory(order).finally(() => logged.mockRestore());

    expect(changed).toBe(20_000);
    expect(statements).toBeGreaterThan(60);
    expect((heapPeak - heapBefore) / mebibyte).toBeLessThan(5);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** @returns the bytes that are in use after a garbage collection */
function liveMemory(): number {
  const heapUsed = liveHeap();
  return heapUsed + process.memoryUsage().external;
}

/** Without the memory of the embedded database, which is not on the heap. */
function liveHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
