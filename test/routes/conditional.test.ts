import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { adapters } from '../support/app.js';
import { Client } from '../support/client.js';
import { addEvents } from '../support/rows.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe.each(adapters)('changes and conditional requests on %s:', (adapter) => {
  const host = mounted({ adapter });
  let shop: Client;
  beforeAll(async () => {
    shop = host.shop();
  });

  const created = async (method_code: string): Promise<string> =>
    (await shop.create({ ...ground, method_code })).body.id;

  it('minus zero is zero: it changes nothing, and a create that repeats it is identical', async () => {
    const own = host.shop();
    const zero = JSON.stringify({ ...ground, sort_order: 0, meta: { a: 0 } });
    const minusZero = zero.replaceAll(':0', ':-0');
    const { body: first } = await own.create(zero);

    const [again, updated] = [await own.create(minusZero), await own.update(first.id, minusZero)];
    await own.remove(first.id);
    const { body: second } = await own.create(minusZero);
    const repeated = await own.create(minusZero);

    expect(again.body).toMatchObject({ existing_id: first.id, identical: true });
    expect(updated.body).toEqual(first);
    expect(second).toMatchObject({ sort_order: 0, meta: { a: 0 }, version: 1 });
    expect(repeated.body).toMatchObject({ existing_id: second.id, identical: true });
  });

  it.each(['list', 'tree'] as const)(
    'the %s answers 304 to its ETag until something changes',
    async (route) => {
      const read = (etag?: string) => {
        const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
        return route === 'list' ? shop.list('', headers) : shop.tree(headers);
      };
      const etag = (await read()).headers.get('etag') ?? '';

      const held = await Promise.all([etag, `W/${etag}`, `"x", ${etag}`, '*'].map(read));
      const other = await Promise.all(['"x"', 'nonsense', `${etag} ${etag}`].map(read));
      await created(`after-${route}`);
      const changed = await read(etag);

      expect(held.map(({ status, text }) => [status, text])).toEqual(
        Array.from({ length: 4 }, () => [304, '']),
      );
      expect(held[0]?.headers.get('etag')).toBe(etag);
      expect(held[0]?.headers.get('cache-control')).toBe('no-cache');
      expect(other.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(etag);
    },
  );

  it.each([
    ['the list', '/shipments/methods', 200],
    ['a long history', '/long/events', 200],
    ['a refused list', '/shipments/methods?page=0', 400],
  ])('a HEAD request for %s has the headers of a GET and no body', async (_what, path, status) => {
    await addEvents(host.dataSource.manager, { projectId: shop.project, orderId: 'long' }, 500);

    const [got, head] = [await shop.send('GET', shop.base + path), await shop.send('HEAD', shop.base + path)];

    expect([got.status, head.status, head.text]).toEqual([status, status, '']);
    for (const name of ['etag', 'content-type', 'cache-control'])
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
  });
});
