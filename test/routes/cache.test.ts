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

  const codesOf = (found: { data: readonly { method_code: string }[] }): string[] =>
    found.data.map(({ method_code }) => method_code);

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
    for (const query of queries) found.push(codesOf((await shop.list(query)).body));

    expect(found).toEqual([foundByOne, foundByOther, foundByOne, foundByOther]);
  });

  it('counts hits, misses and look-ups for a gauge', async () => {
    await shop.list();
    const before = host.methods.cacheStats();

    await shop.list();
    await host.methods.findActive(shop.project);
    const after = host.methods.cacheStats();
    await host.methods.findActive(freshProject());
    const cold = host.methods.cacheStats();

    expect([after.hits - before.hits, after.misses - before.misses]).toEqual([2, 0]);
    expect(after.revisionQueries - before.revisionQueries).toBe(2);
    expect([cold.misses - after.misses, cold.projects - after.projects]).toEqual([1, 1]);
    expect(cold.bytes).toBeGreaterThan(after.bytes);
  });

  it('does not mix up the tree and a list, even one with the query "tree"', async () => {
    const tree = await shop.tree();

    const lists = [await host.methods.list(shop.project), (await shop.list('tree')).body];

    for (const { data, meta } of lists) expect([data, meta.total]).toEqual([tree.body.data[0]?.methods, 2]);
    expect((await shop.tree()).body).toEqual(tree.body);
  });

  onlyWhere('severalConnections', () => {
    it('serves a project and its defaults as they were at one moment', async () => {
      const { methods, dataSource } = host;
      const codes = { carrier_code: 'inheriting', method_code: 'moment' };
      const old = { ...codes, method_label: 'Own', use_default: true };
      await methods.upsert('default', { ...codes, method_label: 'Old' });
      await methods.upsert(shop.project, old);
      await renewRevision(dataSource.manager, shop.project);
      const create = dataSource.createQueryRunner.bind(dataSource);
      let readings = 0;
      // The change comes between two reads: the first one has shown that the project inherits.
      vi.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
        const runner = create(mode);
        const query = runner.query.bind(runner);
        vi.spyOn(runner, 'query').mockImplementation(
          async (sql: string, parameters?: unknown, structured?: boolean) => {
            if (/shipping_method\b/.test(sql) && ++readings === 2)
              await dataSource.transaction(async (manager) => {
                await methods.upsert('default', { ...codes, method_label: 'New' }, { manager });
                await methods.upsert(shop.project, { ...old, is_active: false }, { manager });
              });
            return query(sql, parameters as [], structured as true);
          },
        );
        return runner;
      });

      const found = await methods.findByCodes(shop.project, codes);
      vi.restoreAllMocks();

      expect(readings).toBeGreaterThanOrEqual(2);
      expect(found).toMatchObject({ method_label: 'New', is_active: false });
    });
  });
});
