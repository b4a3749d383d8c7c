import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Violations } from '../validation/violations.js';
import { type EffectiveMethod, type StoredMethod } from './effective-method.js';
import { checkListQuery } from './list/list-query.check.js';
import { pageJson, treeJson } from './rendering.js';
import { type MethodSet, MethodView, tagOf } from './method-view.js';
import { anyMethods, idOf, methodSet, storedMethod } from './stored-method.sample.js';

const seed = 7;
const query = (asked: object) => checkListQuery(new Violations(), asked, 100);
const codesOf = (methods: readonly EffectiveMethod[]): string[] =>
  methods.map(({ stored }) => `${stored.carrier_code} ${stored.method_code}`);

describe('a view', () => {
  it('has its methods in the order of lists, by code point', () => {
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

  it('include each searched text twice, and meta once', () => {
    expect(bytesOf({ meta: `{"a":"${'x'.repeat(10_000)}"}` })).toBeGreaterThanOrEqual(10_000);
    expect(bytesOf({ method_label: 'x'.repeat(255) })).toBeGreaterThanOrEqual(500 - 2 * 'Ground'.length);
  });

  it('include folded texts that are longer than the stored ones', () => {
    const stored = 2 * 255;
    const folded = 2 * 'ffi'.length * 255;

    expect(bytesOf({ method_label: 'ﬃ'.repeat(255) })).toBeGreaterThanOrEqual(stored + folded - 20);
  });

  it('include two bytes for each character of a text beyond Latin-1', () => {
    expect(bytesOf({ meta: `{"a":"${'한'.repeat(5_000)}"}` })).toBeGreaterThanOrEqual(10_000);
  });

  it('include the defaults that are inherited from', () => {
    const inheriting = methodSet([{ use_default: true }]);
    const bytesWith = (...defaults: Partial<StoredMethod>[]): number =>
      MethodView.of(inheriting, methodSet(defaults, 'default')).bytes;

    expect(bytesWith({ meta: `{"a":"${'x'.repeat(10_000)}"}` }) - bytesWith({})).toBeGreaterThanOrEqual(
      10_000,
    );
    // The default itself takes memory too, because this view may be the only one that holds it.
    expect(bytesWith({}) - bytesWith()).toBeGreaterThanOrEqual(300);
  });
});

describe('a page of a view', () => {
  const view = MethodView.of(
    methodSet(['a', 'b', 'c', 'd', 'e'].map((method_code, index) => ({ method_code, is_active: index > 0 }))),
  );

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

  it('differs when the content may differ', () => {
    expect(new Set(tags.map(([, tag]) => tag)).size).toBe(tags.length);
    // An ETag can hold the tag as it is.
    for (const [, tag] of tags) expect(tag).toMatch(/^[\w. -]+$/);
  });

  it('is equal to the tag of the looked-up revisions', () => {
    const now = { project: 'shop 1', defaults: 'default 1' };

    expect(MethodView.of(methodSet([])).tag).toBe(tagOf(now, false));
    expect(MethodView.of(inheriting, methodSet([], 'default')).tag).toBe(tagOf(now, true));
  });
});

it('a view holds only the defaults that it inherits from', () => {
  const defaults = methodSet(
    Array.from({ length: 100 }, (_, n) => ({ method_code: `m${n}` })),
    'default',
  );

  const view = MethodView.of(methodSet([{ method_code: 'm7', use_default: true }]), defaults);

  expect(JSON.stringify(view)).toContain('"m7"');
  expect(JSON.stringify(view)).not.toContain('"m8"');
});

describe('a view after a write', () => {
  /** The parts of a view that callers can see. */
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

  it('equals a view that is read after the write', () => {
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
        const untouched = before.methods.filter(({ id }) => !written.has(id));
        const methods = untouched.concat(rows.flatMap((row) => row.stored ?? []));
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
    fc.assert(property, { seed, numRuns: 300 });
  });

  it('shares the methods that were not written', () => {
    const before = MethodView.of(methodSet([{ method_code: 'a' }, { method_code: 'b' }]));
    const stored = storedMethod({ id: idOf(2), method_code: 'b', version: 2 });

    const after = before.with([{ id: idOf(2), stored }], 'shop 2');

    expect(after?.byId(idOf(1))).toBe(before.byId(idOf(1)));
    expect(after?.byId(idOf(2))?.stored).toBe(stored);
  });

  it('still inherits nothing in the defaults project', () => {
    const before = MethodView.of(methodSet([{ use_default: true }, { method_code: 'b' }]));

    const after = before.with([{ id: idOf(2), stored: undefined }], 'shop 2');

    expect(after?.inherits).toBe(false);
    expect(after?.tag).toBe(tagOf({ project: 'shop 2', defaults: 'default 1' }, false));
  });
});
