import { beforeEach, describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { Client, freshProject } from '../support/client.js';
import { onlyWhere } from '../support/database.js';
import { renewRevision } from '../support/rows.js';

describe('the cache', () => {
  const host = mounted();
  let shop: Client;
  beforeEach(async () => {
    shop = host.shop();
    const labels = { carrier_code: 'ups', method_label: 'Label' };
    await shop.create({ ...labels, method_code: 'air', sort_order: 1, is_active: false });
    await shop.create({ ...labels, method_code: 'ground', sort_order: 2 });
  });

  const codes = (found: { data: { method_code: string }[] }): string[] =>
    found.data.map(({ method_code }) => method_code);

  it('does not mix up a URL with the query of a service', async () => {
    const groups = [[{ field: 'is_active', op: 'in', values: [true] }]];
    const query = JSON.stringify({ page: 1, perPage: 20, words: [], groups });
    // `fetch` would encode the braces. Node's parser takes them as they are.
    const listed = await host.methods.list(shop.project, query);
    const active = await host.methods.list(shop.project, { filter: { is_active: true } });

    expect([codes(listed), codes(active)]).toEqual([['air', 'ground'], ['ground']]);
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

  it('counts for a gauge how it is used', async () => {
    await shop.list();
    const before = host.methods.cacheStats();

    await shop.list();
    await host.methods.findActive(shop.project);
    const after = host.methods.cacheStats();
    await host.methods.findActive(freshProject());
    const cold = host.methods.cacheStats();

    expect([after.hits - before.hits, after.misses - before.misses]).toEqual([2, 0]);
    expect(after.lookUps - before.lookUps).toBe(2);
    expect([cold.misses - after.misses, cold.entries - after.entries]).toEqual([1, 1]);
    expect(cold.bytes).toBeGreaterThan(after.bytes);
  });

  it('does not mix up the tree and a list with the query "tree"', async () => {
    const tree = await shop.tree();

    const list = await shop.list('tree');

    expect(list.body).toMatchObject({ meta: { total: 2 } });
    expect(list.body.data).toEqual(tree.body.data[0]?.methods);
    expect((await shop.tree()).body).toEqual(tree.body);
  });

  it('serves the new values when a default is added, changed or removed', async () => {
    const codesOf = { carrier_code: 'inheriting', method_code: 'x' };
    const defaults = new Client(host.app.origin, 'default');
    await shop.create({ ...codesOf, method_label: 'Own', use_default: true });
    const labels = async (): Promise<(string | undefined)[]> => {
      const [page, active, tree] = [
        await host.methods.list(shop.project, { q: 'inheriting' }),
        await host.methods.findActive(shop.project),
        await host.methods.tree(shop.project),
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

  onlyWhere('severalConnections', () => {
    it('serves a project and its defaults as they were at one moment', async () => {
      const { methods, dataSource } = host;
      const codesOf = { carrier_code: 'inheriting', method_code: 'moment' };
      const old = { ...codesOf, method_label: 'Own', use_default: true };
      await methods.upsert('default', { ...codesOf, method_label: 'Old' });
      await methods.upsert(shop.project, old);
      await renewRevision(dataSource.manager, shop.project);
      const create = dataSource.createQueryRunner.bind(dataSource);
      let readings = 0;
      // Between the two readings: the first one shows that the project inherits.
      vi.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
        const runner = create(mode);
        const query = runner.query.bind(runner);
        vi.spyOn(runner, 'query').mockImplementation(
          async (sql: string, parameters?: unknown, structured?: boolean) => {
            if (/shipping_method\b/.test(sql) && ++readings === 2)
              await dataSource.transaction(async (manager) => {
                await methods.upsert('default', { ...codesOf, method_label: 'New' }, { manager });
                await methods.upsert(shop.project, { ...old, is_active: false }, { manager });
              });
            return query(sql, parameters as [], structured as true);
          },
        );
        return runner;
      });

      const found = await methods.findByCodes(shop.project, codesOf.carrier_code, codesOf.method_code);
      vi.restoreAllMocks();

      expect(readings).toBeGreaterThanOrEqual(2);
      expect(found).toMatchObject({ method_label: 'New', is_active: false });
    });
  });

  it('does not mix up projects, or the results of list, tree and findActive', async () => {
    const stranger = freshProject();

    await host.methods.list(shop.project);
    await host.methods.findActive(shop.project);
    await host.methods.tree(shop.project);

    expect(await host.methods.list(stranger)).toMatchObject({ data: [], meta: { total: 0 } });
    expect(await host.methods.findActive(stranger)).toEqual([]);
    expect(await host.methods.tree(stranger)).toEqual({ data: [] });
    expect(codes(await host.methods.list(shop.project))).toEqual(['air', 'ground']);
    expect(codes({ data: await host.methods.findActive(shop.project) })).toEqual(['ground']);
    expect((await host.methods.tree(shop.project)).data).toMatchObject([{ methods: [{}, {}] }]);
  });
});
