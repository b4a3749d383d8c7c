import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

const refusals: Record<number, object> = {
  400: { code: 'invalid_parameter', errors: [{ header: 'If-Match', code: 'format' }] },
  412: { code: 'version_mismatch', current_version: 1 },
};

describe.each(adapters)('changes and conditional requests on %s:', (adapter) => {
  let app: TestApp;
  let shop: Client;
  beforeAll(async () => {
    app = await testApp({ adapter });
    shop = new Client(app.origin, freshProject());
  });
  afterAll(() => app?.close());

  const created = async (method_code: string): Promise<string> =>
    (await shop.create({ ...ground, method_code })).body.id;

  it('the version of a method grows only when something changes', async () => {
    const { body: first } = await shop.create({ ...ground, meta: { a: 1, bc: { d: 2, ef: 3 } } });

    // The order of the keys does not count.
    const meta = { bc: { ef: 3, d: 2 }, a: 1 };
    const same = await shop.update(first.id, { ...ground, meta, is_active: true });
    const kept = await shop.update(first.id, { ...ground, sort_order: 3 });
    const reset = await shop.update(first.id, { ...ground, sort_order: null, meta: null });

    expect(same.body).toEqual(first);
    expect(same.headers.get('etag')).toBe('"1"');
    expect(kept.body).toMatchObject({ version: 2, sort_order: 3, meta });
    expect(kept.headers.get('etag')).toBe('"2"');
    expect(reset.body).toMatchObject({ version: 3, sort_order: 0, meta: {} });
  });

  it('minus zero is zero: it changes nothing, and a create that repeats it is identical', async () => {
    const own = new Client(app.origin, freshProject());
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

  it('a refusal has no ETag', async () => {
    const id = await created('no etag');
    const refused = [
      await shop.create({ ...ground, method_code: 'no etag' }),
      await shop.create({}),
      await shop.update(id, ground, { 'if-match': '"9"' }),
      await shop.list('page=0'),
      await shop.remove(id, { 'if-match': '"9"' }),
    ];

    expect(refused.map(({ status }) => status)).toEqual([409, 400, 412, 400, 412]);
    expect(refused.map(({ headers }) => headers.get('etag'))).toEqual(refused.map(() => null));
    const head = await fetch(`${app.origin}${shop.base}/shipments/methods?page=0`, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
    expect(refused.map(({ headers }) => headers.get('content-type'))).toEqual(
      refused.map(() => 'application/problem+json'),
    );
  });

  it.each([
    ['"1"', 200],
    ['"7", "1"', 200],
    ['*', 200],
    ['"1", "9999999999"', 200],
    [`"${'9'.repeat(500)}", "1"`, 200],
    ['"9999999999"', 412],
    [`"${'9'.repeat(500)}"`, 412],
    ['"2147483648"', 412],
    ['"2"', 412],
    ['W/"1"', 412],
    ['"01"', 412],
    ['"anything"', 412],
    ['1', 400],
    ['', 400],
    ['"1', 400],
  ])('an update of a method at version 1 with If-Match: %s answers %i', async (ifMatch, status) => {
    const id = await created(`m${freshProject()}`);

    const changed = await shop.update(id, { ...ground, method_code: id }, { 'if-match': ifMatch });
    const id2 = await created(`n${freshProject()}`);
    const removed = await shop.remove(id2, { 'if-match': ifMatch });

    expect(changed.status).toBe(status);
    expect(removed.status).toBe(status === 200 ? 204 : status);
    expect(changed.body).toMatchObject(refusals[status] ?? { version: 2 });
  });

  it('an update to the codes of another method is refused, and the refusal names that method', async () => {
    const taken = await created('taken');
    const id = await created('free');

    const { status, body } = await shop.update(id, { ...ground, method_code: 'taken' });

    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'duplicate_method', existing_id: taken });
    // Only a create can be repeated safely.
    expect(body).not.toHaveProperty('identical');
  });

  it('a method is removed once, and then it is not found', async () => {
    const id = await created('removed');

    const answers = [await shop.remove(id), await shop.remove(id), await shop.update(id, ground)];

    expect(answers.map(({ status }) => status)).toEqual([204, 404, 404]);
    expect(answers[0]?.text).toBe('');
    expect(answers[1]?.body.code).toBe('method_not_found');
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
    ['inherits', true],
    ['does not inherit', false],
  ])('a 304 to any ETag has that of a 200, in a project that %s', async (_title, use_default) => {
    const other = new Client(app.origin, freshProject());
    await other.create({ ...ground, use_default });

    const fresh = [await other.list(), await other.tree()];
    const held = [await other.list('', { 'if-none-match': '*' }), await other.tree({ 'if-none-match': '*' })];

    expect(held.map(({ status }) => status)).toEqual([304, 304]);
    expect(held.map(({ headers }) => headers.get('etag'))).toEqual(
      fresh.map(({ headers }) => headers.get('etag')),
    );
  });

  it.each(['page=0', 'filter=%7B', 'per_page=1&q=a&q=b'])(
    'the list ?%s is refused, also with If-None-Match',
    async (query) => {
      const etag = (await shop.list()).headers.get('etag') ?? '';

      const answers = await Promise.all([etag, '*'].map((tag) => shop.list(query, { 'if-none-match': tag })));

      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    },
  );

  it('events have no ETag of ours', async () => {
    const { status, headers, body } = await shop.events('order-1');

    expect([status, body]).toEqual([200, { data: [] }]);
    // Express makes a weak tag for any body.
    expect(headers.get('etag') ?? 'W/').toMatch(/^W\//);
  });
});
