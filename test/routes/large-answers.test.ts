import { get } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { addEvents } from '../support/rows.js';

const mebibyte = 1024 * 1024;

describe('a large answer', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());

  it('of 100,000 events is complete, and takes less than 20 MB of memory', async () => {
    const shop = new Client(app.origin, freshProject());
    const order = { projectId: shop.project, orderId: 'huge' };
    await addEvents(app.database.dataSource.manager, order, 100_000, (n) => ({
      occurredAt: new Date(Math.trunc(n / 7) * 1000),
      message: `Event ${n}`,
      data: { n: 1 },
    }));
    const before = liveMemory();
    let peak = before;

    let bytes = 0;
    let events = 0;
    await new Promise<void>((resolve, reject) => {
      get(`${app.origin}${shop.base}/huge/events`, (response) => {
        response.on('data', (chunk: Buffer) => {
          if (Math.trunc((bytes + chunk.length) / mebibyte) > Math.trunc(bytes / mebibyte)) {
            peak = Math.max(peak, liveMemory());
          }
          bytes += chunk.length;
          for (let at = chunk.indexOf('"id":'); at >= 0; at = chunk.indexOf('"id":', at + 1)) events++;
        });
        response.on('end', resolve);
        response.on('error', reject);
      }).on('error', reject);
    });

    // A chunk may end in the middle of a key, which is then not counted.
    expect(events).toBeGreaterThan(99_000);
    expect(bytes).toBeGreaterThan(20 * mebibyte);
    expect((peak - before) / mebibyte).toBeLessThan(20);
  });

  it('is abandoned when its client disconnects', async () => {
    const shop = new Client(app.origin, freshProject());
    const order = { projectId: shop.project, orderId: 'left' };
    await addEvents(app.database.dataSource.manager, order, 20_000);

    await new Promise<void>((resolve) => {
      const request = get(`${app.origin}${shop.base}/left/events`, (response) => {
        response.once('data', () => request.destroy());
        response.on('close', resolve);
        response.on('error', () => undefined);
      });
    });
    const { status } = await shop.list();

    expect(status).toBe(200);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after a garbage collection. The client of this test lives in the same process. */
function liveMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
