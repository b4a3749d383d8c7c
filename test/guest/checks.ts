import assert from 'node:assert/strict';
import { type GuestHost } from './guest-host.js';
import { type TestResponse, ground, send, Shop } from './shop.js';
import { changing, refusing, replacing, silent } from './set-ups.js';

/** A check that a set-up of the host does the same to our routes as to the routes of the host. */
export interface GuestCheck {
  title: string;
  run: (host: GuestHost) => Promise<void>;
}

type Pairs = Record<string, [ours: TestResponse, own: TestResponse]>;

/** The six responses, each beside that of the host's own route. */
async function sixResponses(shop: Shop): Promise<Pairs> {
  await shop.recorded();
  const created = await shop.send('POST', shop.methods, ground);
  const listed = await send('GET', shop.methods, {});
  const { id } = (JSON.parse(listed.text) as { data: [{ id: string }] }).data[0];
  const [ours, own] = [`${shop.methods}/${id}`, `${shop.own}/methods/${id}`];
  return {
    create: [created, await shop.send('POST', own)],
    update: [await shop.send('PATCH', ours, { ...ground, sort_order: 1 }), await shop.send('PATCH', own)],
    list: [await shop.send('GET', shop.methods), await shop.send('GET', `${shop.own}/methods`)],
    tree: [await shop.send('GET', `${shop.methods}/tree`), await shop.send('GET', `${shop.own}/tree`)],
    events: [await shop.send('GET', shop.events), await shop.send('GET', `${shop.own}/events`)],
    remove: [await shop.send('DELETE', ours), await shop.send('DELETE', own)],
  };
}

/** PostgreSQL has blanks in the JSON that it stores, and lists and trees show `meta` as it is stored. */
function compact(text: string): string {
  return /^[{["]/.test(text) ? JSON.stringify(JSON.parse(text)) : text;
}

function shownOf({ status, text, headers }: TestResponse) {
  const names = ['content-type', 'content-encoding', 'x-frame-options'];
  return { status, text: compact(text), headers: names.map((name) => `${name}: ${headers.get(name)}`) };
}

async function asOwn(shop: Shop): Promise<Pairs> {
  const pairs = await sixResponses(shop);
  for (const [route, [ours, own]] of Object.entries(pairs))
    assert.deepEqual([route, shownOf(ours)], [route, shownOf(own)]);
  assert.deepEqual(shop.host.lines, []);
  return pairs;
}

const isOfRead = (tag: string | null): boolean => /^"[^"]+"$/.test(tag ?? '');

/** ETag, Location, Cache-Control and 304, as documented. */
async function keepsHeaders(shop: Shop): Promise<void> {
  const created = await shop.send('POST', shop.methods, ground);
  const location = created.headers.get('location') ?? '';
  const one = new URL(location, shop.methods).href;
  assert.ok(location.startsWith(`${new URL(shop.methods).pathname}/`), location);
  assert.deepEqual([created.status, created.headers.get('etag')], [201, '"1"']);
  const updated = await shop.send('PATCH', one, { ...ground, sort_order: 1 }, { 'if-match': '"1"' });
  assert.deepEqual([updated.status, updated.headers.get('etag')], [200, '"2"']);
  for (const url of [shop.methods, `${shop.methods}?per_page=1`, `${shop.methods}/tree`]) {
    const got = await shop.send('GET', url);
    const tag = got.headers.get('etag') ?? '';
    const held = await shop.send('GET', url, undefined, { 'if-none-match': tag });
    const again = await shop.send('GET', url, undefined, { 'if-none-match': '"other"' });
    const head = await shop.send('HEAD', url);
    assert.deepEqual([isOfRead(tag), got.headers.get('cache-control')], [true, 'private, no-cache']);
    assert.deepEqual([held.status, held.text, held.headers.get('etag')], [304, '', tag]);
    assert.deepEqual(
      [held.headers.get('cache-control'), held.headers.get('content-length')],
      ['private, no-cache', null],
    );
    assert.deepEqual([again.status, again.text], [200, got.text]);
    assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', tag]);
    assert.equal(head.headers.get('content-type'), got.headers.get('content-type'));
  }
  const removed = await shop.send('DELETE', one);
  assert.equal(removed.status, 204);
  assert.deepEqual(shop.host.lines, []);
}

const plain = new WeakMap<GuestHost, Promise<Pairs>>();

/** @returns the six responses of a host without a set-up, which are the same for each check */
function plainOf(host: GuestHost): Promise<Pairs> {
  const pairs = plain.get(host) ?? asOwn(new Shop(host, 'none'));
  plain.set(host, pairs);
  return pairs;
}

function checked(title: string, run: GuestCheck['run']): GuestCheck {
  return { title, run };
}

const objects = { ...silent, ...changing };

export const guestChecks: GuestCheck[] = [
  ...Object.keys({ ...objects, ...replacing }).map((setUp) =>
    checked(`${setUp}: the six responses are those of the host's own routes`, async (host) => {
      const none = await plainOf(host);
      const pairs = await asOwn(new Shop(host, setUp));
      // Ids and times differ, but their lengths are equal.
      const formOf = (of: Pairs): object[] =>
        Object.values(of).map(([response]) => ({
          ...shownOf(response),
          text: compact(response.text).length,
        }));
      if (setUp in silent) assert.deepEqual(formOf(pairs), formOf(none));
      else assert.notDeepEqual(formOf(pairs), formOf(none));
    }),
  ),

  ...Object.keys(objects).map((setUp) =>
    checked(`${setUp}: the headers are those of the document`, (host) => keepsHeaders(new Shop(host, setUp))),
  ),

  ...Object.keys(refusing).map((setUp) =>
    checked(`${setUp}: the host's error, with none of our headers, and nothing after it`, async (host) => {
      const shop = new Shop(host, setUp);
      const one = await shop.stored();
      const own = await shop.send('GET', `${shop.own}/methods`);
      const { headers } = await send('GET', shop.methods, {});
      const responses = [
        await shop.send('POST', shop.methods, { ...ground, method_code: '04' }),
        await shop.send('PATCH', one, { ...ground, sort_order: 1 }),
        await shop.send('GET', shop.methods),
        await shop.send('GET', shop.methods, undefined, { 'if-none-match': headers.get('etag') ?? '' }),
        await shop.send('GET', `${shop.methods}/tree`),
        await shop.send('GET', shop.events),
        await shop.send('DELETE', one),
      ];
      for (const response of responses) {
        assert.deepEqual(shownOf(response), shownOf(own));
        assert.deepEqual(
          [response.headers.get('location'), response.headers.get('cache-control')],
          [null, null],
        );
        // Express sends a weak ETag for each body.
        assert.equal(response.headers.get('etag'), own.headers.get('etag'));
      }
      // By then, a value that comes late has had its effect.
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.deepEqual(host.lines, []);
    }),
  ),

  ...Object.entries({
    cache: 'none',
    'cache around an envelope': 'envelope',
    'cache around a change in place': 'camelCase, in place',
  }).map(([setUp, uncached]) =>
    checked(`${setUp}: a hit is what the first response was, also after a 304`, async (host) => {
      const shop = new Shop(host, setUp);
      await shop.stored();
      const { headers } = await send('GET', shop.methods, { 'x-set-up': uncached });
      const tag = { 'if-none-match': headers.get('etag') ?? '' };
      const held = await shop.send('GET', shop.methods, undefined, tag);
      const hits = [await shop.send('GET', shop.methods), await shop.send('GET', shop.methods)];
      const own = await shop.send('GET', `${shop.own}/methods`);
      assert.deepEqual([held.status, held.text], [304, '']);
      assert.deepEqual(hits.map(shownOf), [shownOf(own), shownOf(own)]);
    }),
  ),

  checked('a change in place reaches no other request', async (host) => {
    const shop = new Shop(host, 'camelCase, in place');
    const one = await shop.stored();
    await shop.recorded();
    const urls = [shop.methods, `${shop.methods}/tree`, shop.events];
    for (const url of urls) {
      const before = await send('GET', url, {});
      const changed = await shop.send('GET', url);
      const after = await send('GET', url, {});
      assert.notEqual(changed.text, before.text);
      assert.equal(after.text, before.text);
    }
    await shop.send('PATCH', one, { ...ground, sort_order: 1 });
    const { text } = await send('GET', shop.methods, {});
    const own = await send('GET', `${shop.own}/methods`, {});
    assert.equal(compact(text), compact(own.text));
    assert.match(text, /"sort_order":1/);
  }),

  checked('our errors are problems, and with problemDetails: false those of the host', async (host) => {
    const shop = new Shop(host, 'envelope');
    const bare = new Shop(host, 'envelope', host.bare);
    const ours = await shop.send('POST', shop.methods, {});
    const theirs = await bare.send('POST', bare.methods, {});
    const own = await bare.send('POST', `${bare.own}/methods`, {});
    const none = await bare.send('DELETE', `${bare.methods}/none`);
    assert.deepEqual([ours.status, ours.headers.get('content-type')], [400, 'application/problem+json']);
    assert.match(ours.text, /"code":"validation_failed"/);
    assert.deepEqual(shownOf(theirs), shownOf(own));
    assert.deepEqual([theirs.status, none.status], [400, 404]);
    assert.match(theirs.text, /carrier_code is required/);
    assert.doesNotMatch(theirs.headers.get('content-type') ?? '', /problem/);
    assert.deepEqual(host.lines, []);
  }),
];
