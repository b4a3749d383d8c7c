import { ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';

type Query = NonNullable<Parameters<ShippingMethods['list']>[1]>;

/** Two queries that differ in one part, and the methods that each of them finds. */
const pairs: Record<string, [Query, string[], Query, string[]]> = {
  page: [{ per_page: 1 }, ['air'], { per_page: 1, page: 2 }, ['ground']],
  per_page: [{ per_page: 1 }, ['air'], { per_page: 2 }, ['air', 'ground']],
  q: [{ q: 'air' }, ['air'], { q: 'ground' }, ['ground']],
  'words of q': [{ q: 'air' }, ['air'], { q: 'air ground' }, []],
  filter: [{ filter: { is_active: true } }, ['ground'], { filter: { is_active: false } }, ['air']],
  'the field of a filter': [
    { filter: { sort_order: 1 } },
    ['air'],
    { filter: { version: 1 } },
    ['air', 'ground'],
  ],
  'the case of a filter': [
    { filter: { method_code: 'AIR' } },
    [],
    { filter: { method_code: 'air' } },
    ['air'],
  ],
  'the operator of raw_filters': [
    { raw_filters: [{ field: 'sort_order', op: 'gt', value: 1 }] },
    ['ground'],
    { raw_filters: [{ field: 'sort_order', op: 'lte', value: 1 }] },
    ['air'],
  ],
  'the value of raw_filters': [
    { raw_filters: [{ field: 'method_code', op: 'eq', value: 'air' }] },
    ['air'],
    { raw_filters: [{ field: 'method_code', op: 'eq', value: 'ground' }] },
    ['ground'],
  ],
  'an or in raw_filters': [
    {
      raw_filters: [
        { field: 'method_code', op: 'eq', value: 'air' },
        { field: 'sort_order', op: 'eq', value: 2 },
      ],
    },
    [],
    {
      raw_filters: [
        {
          or: [
            { field: 'method_code', op: 'eq', value: 'air' },
            { field: 'sort_order', op: 'eq', value: 2 },
          ],
        },
      ],
    },
    ['air', 'ground'],
  ],
};

describe('the cache', () => {
  let app: TestApp;
  let shop: Client;
  let methods: ShippingMethods;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());
  beforeEach(async () => {
    shop = new Client(app.origin, freshProject());
    const labels = { carrier_code: 'ups', method_label: 'Label' };
    await shop.create({ ...labels, method_code: 'air', sort_order: 1, is_active: false });
    await shop.create({ ...labels, method_code: 'ground', sort_order: 2 });
  });

  const codes = (found: { data: { method_code: string }[] }): string[] =>
    found.data.map(({ method_code }) => method_code);

  it.each(Object.keys(pairs))('does not mix up lists of the service that differ in %s', async (name) => {
    const [one, foundByOne, other, foundByOther] = pairs[name] ?? [{}, [], {}, []];

    const found = [await methods.list(shop.project, one), await methods.list(shop.project, other)];
    const again = [await methods.list(shop.project, one), await methods.list(shop.project, other)];

    expect(found.map(codes)).toEqual([foundByOne, foundByOther]);
    expect(again).toEqual(found);
  });

  it.each(Object.keys(pairs))('does not mix up lists over HTTP that differ in %s', async (name) => {
    const [one, foundByOne, other, foundByOther] = pairs[name] ?? [{}, [], {}, []];
    const query = (asked: Query): string =>
      Object.entries(asked)
        .map(
          ([key, value]) =>
            `${key}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : value)}`,
        )
        .join('&');

    const found = [await shop.list(query(one)), await shop.list(query(other))];

    expect(found.map(({ body }) => codes(body))).toEqual([foundByOne, foundByOther]);
  });

  it.each<[part: string, one: string, foundByOne: string[], other: string, foundByOther: string[]]>([
    [
      'how often a key is repeated',
      'filter[method_code]=air&filter[method_code]=ground',
      ['air', 'ground'],
      'filter[method_code]=ground',
      ['ground'],
    ],
    ['the encoding of an ampersand', 'q=air%26per_page=1', [], 'q=air&per_page=1', ['air']],
    ['the encoding of a percent sign', 'q=%2561ir', [], 'q=%61ir', ['air']],
    ['the encoding of a plus sign', 'q=air%2Bups', [], 'q=air+ups', ['air']],
    ['the case of a bracket value', 'filter[method_code]=AIR', [], 'filter[method_code]=air', ['air']],
    ['what follows a question mark', 'q=air?', [], 'q=air', ['air']],
  ])('does not mix up queries that differ in %s', async (_part, one, foundByOne, other, foundByOther) => {
    const queries = [one, other, one, other];

    const found = [];
    for (const query of queries) found.push(codes((await shop.list(query)).body));

    expect(found).toEqual([foundByOne, foundByOther, foundByOne, foundByOther]);
  });

  it.each(['page=2&page=1', 'page=1&page=1', 'page=1&per_page=0', 'page=1&filter[nothing]=1'])(
    'does not answer the bad query %s like the good one in it',
    async (bad) => {
      const statuses = [];
      for (const query of ['page=1', bad, 'page=1']) statuses.push((await shop.list(query)).status);

      expect(statuses).toEqual([200, 400, 200]);
    },
  );

  it('serves the new values when a default is added, changed or removed', async () => {
    const codesOf = { carrier_code: 'inheriting', method_code: 'x' };
    const defaults = new Client(app.origin, 'default');
    await shop.create({ ...codesOf, method_label: 'Own', use_default: true });
    const labels = async (): Promise<(string | undefined)[]> => {
      const [page, active, tree] = [
        await methods.list(shop.project, { q: 'inheriting' }),
        await methods.findActive(shop.project),
        await methods.tree(shop.project),
      ];
      const all = [page.data, active, tree.data.flatMap((branch) => branch.methods)];
      return all.map((found) => found.find(({ method_code }) => method_code === 'x')?.method_label);
    };

    const seen = [await labels()];
    const { body: origin } = await defaults.create({ ...codesOf, method_label: 'First' });
    seen.push(await labels());
    await defaults.update(origin.id, { ...codesOf, method_label: 'Second' });
    seen.push(await labels());
    await defaults.remove(origin.id);
    seen.push(await labels());

    expect(seen).toEqual(['Own', 'First', 'Second', 'Own'].map((label) => [label, label, label]));
  });

  it('does not mix up projects, or the results of list, tree and findActive', async () => {
    const stranger = freshProject();

    await methods.list(shop.project);
    await methods.findActive(shop.project);
    await methods.tree(shop.project);

    expect(await methods.list(stranger)).toMatchObject({ data: [], meta: { total: 0 } });
    expect(await methods.findActive(stranger)).toEqual([]);
    expect(await methods.tree(stranger)).toEqual({ data: [] });
    expect(codes(await methods.list(shop.project))).toEqual(['air', 'ground']);
    expect(codes({ data: await methods.findActive(shop.project) })).toEqual(['ground']);
    expect((await methods.tree(shop.project)).data).toMatchObject([{ methods: [{}, {}] }]);
  });
});
