import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { adapters } from '../support/app.js';
import { addEvents } from '../support/rows.js';

describe.each(adapters)('a HEAD request on %s', (adapter) => {
  const host = mounted({ adapter });

  it.each([
    ['the list', '/shipments/methods', 200],
    ['a long history', '/long/events', 200],
    ['a refused list', '/shipments/methods?page=0', 400],
  ])('has the headers of a GET and no body: %s', async (_what, path, status) => {
    const shop = host.shop();
    await addEvents(host.dataSource.manager, { projectId: shop.project, orderId: 'long' }, 500);

    const [got, head] = [await shop.send('GET', shop.base + path), await shop.send('HEAD', shop.base + path)];

    expect([got.status, head.status, head.text]).toEqual([status, status, '']);
    for (const name of ['etag', 'content-type', 'cache-control'])
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
  });
});
