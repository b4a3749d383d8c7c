import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { adapters } from '../support/app.js';
import { Client, ground } from '../support/client.js';

describe.each(adapters)('a client with a cache, on %s,', (adapter) => {
  const host = mounted({ adapter });
  let shop: Client;
  beforeAll(async () => {
    shop = host.shop();
  });

  const created = async (method_code: string): Promise<string> =>
    (await shop.create({ ...ground, method_code })).body.id;

  it.each(['list', 'tree'] as const)(
    'that holds an ETag gets 304 until something changes: %s',
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
      expect(held[0]?.headers.get('cache-control')).toBe('private, no-cache');
      expect(other.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(etag);
    },
  );

  it('must ask before it shows a stored history again', async () => {
    const { headers } = await shop.events('1001');

    expect(headers.get('cache-control')).toBe('private, no-cache');
  });
});
