import { get } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { OrderEvents } from 'nestjs-shipping';
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

  it('of 10,000 events is complete and in order', async () => {
    const shop = new Client(app.origin, freshProject());
    const order = { projectId: shop.project, orderId: 'long' };
    await addEvents(app.database.dataSource.manager, order, 10_000, (n) => ({ message: `Event ${n}` }));

    const { status, body } = await shop.events('long');

    const messages = body.data.map(({ message }) => message);
    expect(status).toBe(200);
    expect(messages).toEqual(Array.from({ length: 10_000 }, (_, n) => `Event ${n + 1}`));
  });

  it('of 100,000 events is read as a stream in less than 20 MB of memory', async () => {
    const order = { projectId: freshProject(), orderId: 'huge' };
    await addEvents(app.database.dataSource.manager, order, 100_000, (n) => ({
      occurredAt: new Date(Math.trunc(n / 7) * 1000),
      message: `Event ${n}`,
      data: { n: 1 },
    }));
    const before = liveMemory();
    let [peak, count] = [before, 0];

    for await (const { id } of app.nest.get(OrderEvents).stream(order.projectId, order.orderId)) {
      if (id && ++count % 20_000 === 0) peak = Math.max(peak, liveMemory());
    }

    expect(count).toBe(100_000);
    expect((peak - before) / mebibyte).toBeLessThan(20);
  });

  it('whose client disconnects does no harm to others', async () => {
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

/** Bytes in use after a garbage collection. */
function liveMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
