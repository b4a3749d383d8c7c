import { describe, expect, it } from 'vitest';
import { type StoredMethod } from './effective-method.js';
import { renderTree } from './rendering.js';
import { MethodView } from './method-view.js';
import { idOf, methodSet } from './stored-method.sample.js';

describe('a view', () => {
  it('finds methods by id, whatever its case, and by exact codes', () => {
    const view = new MethodView(methodSet([{ id: idOf(0xab) }, { carrier_code: 'UPS' }]));

    expect(view.byId(idOf(0xab).toUpperCase())?.stored.carrier_code).toBe('ups');
    expect(view.byId(idOf(9))).toBeUndefined();
    expect(view.byCodes('UPS', '03')?.stored.id).toBe(idOf(2));
    expect(view.byCodes('Ups', '03')).toBeUndefined();
    expect(view.byCodes('03', 'ups')).toBeUndefined();
  });
});

describe('the bytes of a view', () => {
  const bytesOf = (values: Partial<StoredMethod>): number =>
    new MethodView(methodSet([values])).bytes - new MethodView(methodSet([{}])).bytes;

  it('include each searched text twice, and meta once', () => {
    expect(bytesOf({ meta: `{"a":"${'x'.repeat(10_000)}"}` })).toBeGreaterThanOrEqual(10_000);
    expect(bytesOf({ method_label: 'x'.repeat(255) })).toBeGreaterThanOrEqual(500 - 2 * 'Ground'.length);
  });

  it('include two bytes for each character of a text beyond Latin-1', () => {
    expect(bytesOf({ meta: `{"a":"${'한'.repeat(5_000)}"}` })).toBeGreaterThanOrEqual(10_000);
  });

  it('include the defaults that are inherited from', () => {
    const inheriting = methodSet([{ use_default: true }]);
    const bytesWith = (...defaults: Partial<StoredMethod>[]): number =>
      new MethodView(inheriting, methodSet(defaults, 'default')).bytes;

    expect(bytesWith({ meta: `{"a":"${'x'.repeat(10_000)}"}` }) - bytesWith({})).toBeGreaterThanOrEqual(
      10_000,
    );
    // The default itself takes memory too, because this view may be the only one that holds it.
    expect(bytesWith({}) - bytesWith()).toBeGreaterThanOrEqual(300);
  });
});

it('the tree shows a carrier as inactive when the default of its only method is inactive', () => {
  const view = new MethodView(
    methodSet([{ use_default: ['is_active'] }]),
    methodSet([{ is_active: false }], 'default'),
  );

  expect(JSON.parse(renderTree(view).json.toString())).toMatchObject({ data: [{ is_active: false }] });
});

describe('the tag of a view', () => {
  const inheriting = methodSet([{ use_default: true }]);
  const tags: [what: string, tag: string][] = [
    ['a project', new MethodView(methodSet([])).tag],
    ['its next revision', new MethodView(methodSet([], 'shop', 'shop 2')).tag],
    ['another project', new MethodView(methodSet([], 'other')).tag],
    ['a project without a row', new MethodView({ projectId: 'shop', revision: undefined, methods: [] }).tag],
    ['a project that inherits', new MethodView(inheriting, methodSet([], 'default')).tag],
    ['the next revision of its defaults', new MethodView(inheriting, methodSet([], 'default', '2')).tag],
    [
      'defaults without a row',
      new MethodView(inheriting, { projectId: 'default', revision: undefined, methods: [] }).tag,
    ],
  ];

  it('differs when the content may differ', () => {
    expect(new Set(tags.map(([, tag]) => tag)).size).toBe(tags.length);
    // An ETag can hold the tag as it is.
    for (const [, tag] of tags) expect(tag).toMatch(/^[\w. -]+$/);
  });

  it('names the form of the JSON. If you change the form, raise formOfJson, and correct both values here', () => {
    const view = new MethodView(methodSet([{}]));

    expect(renderTree(view).etag).toBe('"my-p6L.shop 1"');
    expect(String(renderTree(view).json)).toMatchInlineSnapshot(
      `"{"data":[{"carrier_code":"ups","carrier_label":"ups","is_active":true,"sort_order":0,"methods":[{"id":"019aa0b2-5c00-7a41-9d2b-000000000001","project_id":"shop","carrier_code":"ups","carrier_label":null,"method_code":"03","method_label":"Ground","is_active":true,"sort_order":0,"meta":{},"use_default":false,"inherited":[],"own":{},"version":1,"etag":"\\"1\\"","created_at":"2026-01-31T09:30:00.123Z","updated_at":"2026-01-31T09:30:00.123Z"}]}]}"`,
    );
  });
});

describe('a view is current', () => {
  const now = { project: 'shop 1', defaults: 'default 1' };
  const plain = new MethodView(methodSet([]));
  const inheriting = new MethodView(methodSet([{ use_default: true }]), methodSet([], 'default'));

  it.each([
    ['at its own revisions', {}, [true, true]],
    ['not at another revision of its project', { project: 'shop 2' }, [false, false]],
    ['at another revision of the defaults, unless it inherits', { defaults: 'default 2' }, [true, false]],
    ['not when its project has lost its row', { project: undefined }, [false, false]],
  ])('%s', (_when, other, expected) => {
    expect([plain, inheriting].map((view) => view.isAt({ ...now, ...other }))).toEqual(expected);
  });
});

it('a view holds only the defaults that it inherits from', () => {
  const defaults = methodSet(
    Array.from({ length: 100 }, (_, n) => ({ method_code: `m${n}` })),
    'default',
  );

  const view = new MethodView(methodSet([{ method_code: 'm7', use_default: true }]), defaults);

  expect(JSON.stringify(view)).toContain('"m7"');
  expect(JSON.stringify(view)).not.toContain('"m8"');
});
