import { get } from 'node:http';
import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { addEvents } from '../support/rows.js';

const host = mounted();

it('a client that disconnects during a long response does not disturb other clients', async () => {
  const shop = host.shop();
  const order = { projectId: shop.project, orderId: 'left' };
  await addEvents(host.dataSource.manager, order, 5_000);

  await new Promise<void>((resolve) => {
    const request = get(`${host.app.origin}${shop.base}/left/events`, (response) => {
      response.once('data', () => request.destroy());
      response.on('close', resolve);
      response.on('error', () => undefined);
    });
  });
  const { status } = await shop.list();

  expect(status).toBe(200);
});
