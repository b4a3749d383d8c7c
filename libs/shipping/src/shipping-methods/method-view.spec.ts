import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Violations } from '../validation/violations.js';
import { type EffectiveMethod, type StoredMethod } from './effective-method.js';
import { checkListQuery } from './list-query.check.js';
import { pageJson, treeJson } from './method-json.js';
import { type MethodSet, MethodView, tagOf } from './method-view.js';
import { anyMethods, idOf, methodSet, storedMethod } from './stored-method.sample.js';

const seed = 7;
const query = (asked: object) => checkListQuery(new Violations(), asked, 100);
const codesOf = (methods: readonly EffectiveMethod[]): string[] =>
  methods.map(({ stored }) => `${stored.carrier_code} ${stored.method_code}`);

describe('a view', () => {
  it('has its methods by sort_order, then by the code points of both codes', () => {
    const view = MethodView.of(
      methodSet([
        { carrier_code: '𝒰', method_code: 'a' },
        { carrier_code: '\uFFFD', method_code: 'a' },
        { carrier_code: 'a', method_code: 'a' },
        { carrier_code: 'a', method_code: 'Z' },
        { carrier_code: 'Z', method_code: 'a' },
        { carrier_code: 'É', method_code: 'a' },
        { carrier_code: 'é', method_code: 'a', sort_order: -1 },
        { carrier_code: 'A', method_code: 'a', sort_order: 10 },
        { carrier_code: 'A', method_code: 'b', sort_order: 9 },
      ]),
    );

    expect(codesOf(view.methods)).toEqual([
      'é a',
      'Z a',
      'a Z',
      'a a',
      'É a',
      '\uFFFD a',
      '𝒰 a',
      'A b',
      'A a',
    ]);
  });

  it('is in the order of the values that it inherits', () => {
    const inheriting = { method_code: 'a', sort_order: 1, use_default: true };
    const view = MethodView.of(
      methodSet([inheriting, { method_code: 'b', sort_order: 2 }]),
      methodSet([{ method_code: 'a', sort_order: 3 }], 'default'),
    );

    expect(codesOf(view.methods)).toEqual(['ups b', 'ups a']);
  });

  it('inherits from the default with the same two codes, and only with use_default', () => {
    const view = MethodView.of(
      methodSet([
        { method_code: 'a', use_default: true },
        { method_code: 'b', use_default: false },
        { method_code: 'A', use_default: true },
        { carrier_code: 'UPS', method_code: 'a', use_default: true },
      ]),
      methodSet([{ method_code: 'a', method_label: 'Default' }, { method_code: 'b' }], 'default'),
    );

    expect(view.methods.map(({ stored, from }) => [stored.id, from?.id])).toEqual([
      [idOf(4), undefined],
      [idOf(3), undefined],
      [idOf(1), idOf(1)],
      [idOf(2), undefined],
    ]);
  });

  it('shows the own value where the default has a null, and does not list it', () => {
    const view = MethodView.of(
      methodSet([{ carrier_label: 'Own', method_label: 'Own', use_default: true }]),
      methodSet([{ carrier_label: null, method_label: 'Default' }], 'default'),
    );

    expect(view.methods[0]?.dto).toMatchObject({
      carrier_label: 'Own',
      method_label: 'Default',
      inherited: ['method_label', 'sort_order', 'meta'],
      own: { method_label: 'Own' },
    });
    expect(view.methods[0]?.dto.own).not.toHaveProperty('carrier_label');
  });

  it('finds methods by id, whatever its case, and by exact codes', () => {
    const view = MethodView.of(methodSet([{ id: idOf(0xab) }, { carrier_code: 'UPS' }]));

    expect(view.byId(idOf(0xab).toUpperCase())?.stored.carrier_code).toBe('ups');
    expect(view.byId(idOf(9))).toBeUndefined();
    expect(view.byCodes('UPS', '03')?.stored.id).toBe(idOf(2));
    expect(view.byCodes('Ups', '03')).toBeUndefined();
    expect(view.byCodes('03', 'ups')).toBeUndefined();
  });
});

describe('the bytes of a view', () => {
  const bytesOf = (values: Partial<StoredMethod>): number =>
    MethodView.of(methodSet([values])).bytes - MethodView.of(methodSet([{}])).bytes;

  it('count meta once, and each searched text once more, as it is searched', () => {
    expect(bytesOf({ meta: `{"a":"${'x'.repeat(10_000)}"}` })).toBeGreaterThanOrEqual(10_000);
    expect(bytesOf({ method_label: 'x'.repeat(255) })).toBeGreaterThanOrEqual(500 - 2 * 'Ground'.length);
  });

  it('count two bytes for each character of a text beyond Latin-1', () => {
    expect(bytesOf({ meta: `{"a":"${'한'.repeat(5_000)}"}` })).toBeGreaterThanOrEqual(10_000);
  });

  it('count what is inherited', () => {
    const own = methodSet([{ use_default: true }]);
    const [small, large] = ['{}', `{"a":"${'x'.repeat(10_000)}"}`].map(
      (meta) => MethodView.of(own, methodSet([{ meta }], 'default')).bytes,
    );

    expect((large ?? 0) - (small ?? 0)).toBeGreaterThanOrEqual(10_000);
  });
});

describe('a page of a view', () => {
  const view = MethodView.of(
    methodSet(['a', 'b', 'c', 'd', 'e'].map((method_code, index) => ({ method_code, is_active: index > 0 }))),
  );

  it.each<[asked: object, codes: string[], total: number]>([
    [{}, ['ups a', 'ups b', 'ups c', 'ups d', 'ups e'], 5],
    [{ per_page: 2 }, ['ups a', 'ups b'], 5],
    [{ per_page: 2, page: 2 }, ['ups c', 'ups d'], 5],
    [{ per_page: 2, page: 3 }, ['ups e'], 5],
    [{ per_page: 2, page: 4 }, [], 5],
    [{ per_page: 2, page: 2, filter: { is_active: true } }, ['ups d', 'ups e'], 4],
    [{ q: 'nothing' }, [], 0],
  ])('for %j has %j of %j', (asked, codes, total) => {
    const found = view.page(query(asked));

    expect([codesOf(found.methods), found.total]).toEqual([codes, total]);
  });

  it.each<[asked: object, meta: object]>([
    [{}, { page: 1, per_page: 20, total: 5, total_pages: 1 }],
    [
      { per_page: 2, page: 9 },
      { page: 9, per_page: 2, total: 5, total_pages: 3 },
    ],
    [{ per_page: 5 }, { page: 1, per_page: 5, total: 5, total_pages: 1 }],
    [{ q: 'nothing' }, { page: 1, per_page: 20, total: 0, total_pages: 0 }],
  ])('for %j counts %j', (asked, meta) => {
    expect(JSON.parse(pageJson(view, query(asked)))).toMatchObject({ meta });
  });
});

describe('the tree of a view', () => {
  it('has the carriers by the smallest sort_order of their methods, then by code', () => {
    const tree = MethodView.of(
      methodSet([
        { carrier_code: 'b', sort_order: 2, method_code: 'x' },
        { carrier_code: 'c', sort_order: 2 },
        { carrier_code: 'a', sort_order: 3 },
        { carrier_code: 'b', sort_order: 5, method_code: 'y' },
      ]),
    ).tree();

    expect(
      tree.map(({ carrier_code, sort_order, methods }) => [carrier_code, sort_order, methods.length]),
    ).toEqual([
      ['b', 2, 2],
      ['c', 2, 1],
      ['a', 3, 1],
    ]);
  });

  it("has a carrier's first label that is not null, and its code without one", () => {
    const tree = MethodView.of(
      methodSet([
        { method_code: 'a', carrier_label: null },
        { method_code: 'b', carrier_label: 'Second' },
        { method_code: 'c', carrier_label: 'Third' },
        { carrier_code: 'dhl', carrier_label: null },
      ]),
    ).tree();

    expect(tree.map(({ carrier_code, carrier_label }) => [carrier_code, carrier_label])).toEqual([
      ['dhl', 'dhl'],
      ['ups', 'Second'],
    ]);
  });

  it('has a carrier as active if any of its methods is', () => {
    const tree = MethodView.of(
      methodSet([
        { method_code: 'a', is_active: false },
        { method_code: 'b', is_active: true },
        { carrier_code: 'dhl', is_active: false },
      ]),
    ).tree();

    expect(tree.map(({ carrier_code, is_active }) => [carrier_code, is_active])).toEqual([
      ['dhl', false],
      ['ups', true],
    ]);
  });

  it('has the fields of the wire in JSON', () => {
    const view = MethodView.of(methodSet([{ carrier_label: 'UPS' }]));

    expect(treeJson(view)).toBe(
      `{"data":[{"carrier_code":"ups","carrier_label":"UPS","is_active":true,"sort_order":0,"methods":[${view.methods[0]?.json}]}]}`,
    );
    expect(treeJson(MethodView.of(methodSet([])))).toBe('{"data":[]}');
  });
});

describe('the tag of a view', () => {
  const inheriting = methodSet([{ use_default: true }]);
  const tags: [what: string, tag: string][] = [
    ['a project', MethodView.of(methodSet([])).tag],
    ['its next revision', MethodView.of(methodSet([], 'shop', 'shop 2')).tag],
    ['another project', MethodView.of(methodSet([], 'other')).tag],
    ['a project without a row', MethodView.of({ projectId: 'shop', revision: undefined, methods: [] }).tag],
    ['a project that inherits', MethodView.of(inheriting, methodSet([], 'default')).tag],
    ['the next revision of its defaults', MethodView.of(inheriting, methodSet([], 'default', '2')).tag],
    [
      'defaults without a row',
      MethodView.of(inheriting, { projectId: 'default', revision: undefined, methods: [] }).tag,
    ],
  ];

  it('differs wherever something else may be shown', () => {
    expect(new Set(tags.map(([, tag]) => tag)).size).toBe(tags.length);
  });

  it.each(tags)('can be sent in an ETag as it is: %s', (_what, tag) => {
    expect(tag).toMatch(/^[\w. -]+$/);
  });

  it('is the one of the revisions that were looked up', () => {
    const now = { own: 'shop 1', defaults: 'default 1' };

    expect(MethodView.of(methodSet([])).tag).toBe(tagOf(now, false));
    expect(MethodView.of(inheriting, methodSet([], 'default')).tag).toBe(tagOf(now, true));
  });
});

it('a view keeps no defaults but those that it inherits from', () => {
  const defaults = methodSet(
    Array.from({ length: 100 }, (_, n) => ({ method_code: `m${n}` })),
    'default',
  );

  const view = MethodView.of(methodSet([{ method_code: 'm7', use_default: true }]), defaults);

  expect(JSON.stringify(view)).toContain('"m7"');
  expect(JSON.stringify(view)).not.toContain('"m8"');
});

describe('a view after a write', () => {
  /** What callers can see of it. */
  const seen = (view: MethodView): unknown => ({
    ids: view.methods.map(({ stored }) => stored.id),
    tree: treeJson(view),
    page: pageJson(view, query({ per_page: 100 })),
    tag: view.tag,
    projectId: view.projectId,
    revision: view.revision,
    inherits: view.inherits,
    bytes: view.bytes,
  });
  const viewOf = (set: MethodSet, defaults: MethodSet): MethodView =>
    MethodView.of(set, set.methods.some((method) => method.use_default) ? defaults : undefined);

  const namedBy = ({ carrier_code, method_code }: StoredMethod): string => `${carrier_code} ${method_code}`;

  it('is the same as one that was read after it', () => {
    const property = fc.property(
      anyMethods,
      anyMethods,
      anyMethods,
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      (stored, others, defaultMethods, choices) => {
        const before = methodSet(stored);
        const defaults = methodSet(defaultMethods, 'default');
        // The first rows are updated or deleted, and the rows that have no method yet are inserted.
        const rows = methodSet(others).methods.map((method, index) => ({
          id: method.id,
          stored: choices[index] ? method : undefined,
        }));
        const written = new Map(rows.map((row) => [row.id, row.stored]));
        const kept = before.methods.filter(({ id }) => !written.has(id));
        const methods = kept.concat(rows.flatMap((row) => row.stored ?? []));
        const after = viewOf({ ...before, revision: 'shop 2', methods }, defaults);

        const made = viewOf(before, defaults).with(rows, 'shop 2');

        const inheriting = before.methods.filter((method) => method.use_default);
        const known = new Set(inheriting.map(namedBy));
        const beginsToInherit = rows.some(
          (row) => row.stored?.use_default && !known.has(namedBy(row.stored)),
        );
        expect(made && seen(made)).toEqual(beginsToInherit ? undefined : seen(after));
      },
    );
    fc.assert(property, { seed, numRuns: 1_000 });
  });

  it('keeps the methods that were not written, with the JSON that they have', () => {
    const before = MethodView.of(methodSet([{ method_code: 'a' }, { method_code: 'b' }]));
    const stored = storedMethod({ id: idOf(2), method_code: 'b', version: 2 });

    const after = before.with([{ id: idOf(2), stored }], 'shop 2');

    expect(after?.byId(idOf(1))).toBe(before.byId(idOf(1)));
    expect(after?.byId(idOf(2))?.stored).toBe(stored);
  });

  it('leaves the view before it as it was', () => {
    const before = MethodView.of(methodSet([{}]));
    const asItWas = seen(before);

    before.with([{ id: idOf(1), stored: undefined }], 'shop 2');

    expect(seen(before)).toEqual(asItWas);
  });

  it('of the defaults project inherits from nothing, as before', () => {
    const before = MethodView.of(methodSet([{ use_default: true }, { method_code: 'b' }]));

    const after = before.with([{ id: idOf(2), stored: undefined }], 'shop 2');

    expect(after?.inherits).toBe(false);
    expect(after?.tag).toBe(tagOf({ own: 'shop 2', defaults: 'default 1' }, false));
  });

  it('needs the defaults as soon as a method begins to inherit', () => {
    const before = MethodView.of(methodSet([{}]));
    const stored = storedMethod({ use_default: true, version: 2 });

    expect(before.with([{ id: idOf(1), stored }], 'shop 2')).toBeUndefined();
  });
});
