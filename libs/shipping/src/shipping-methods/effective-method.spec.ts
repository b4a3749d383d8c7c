import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EffectiveMethod, storedValuesOf } from './effective-method.js';
import { anyMethods, idOf, storedMethod } from './stored-method.sample.js';

const own = storedMethod({
  use_default: true,
  carrier_label: 'Own carrier',
  method_label: 'Own',
  sort_order: 1,
  meta: '{"own": [1]}',
  version: 3,
});
const origin = storedMethod({
  id: idOf(0xabc),
  project_id: 'default',
  method_label: 'Default',
  is_active: false,
  sort_order: 2,
  meta: '{"b": 1, "a": 2}',
  version: 5,
});

describe('a method that inherits', () => {
  const method = new EffectiveMethod(own, true, origin);

  it('shows the values of the default, and lists the inherited fields', () => {
    expect(method.toDto()).toEqual({
      id: own.id,
      project_id: 'shop',
      carrier_code: 'ups',
      carrier_label: 'Own carrier',
      method_code: '03',
      method_label: 'Default',
      is_active: false,
      sort_order: 2,
      meta: { b: 1, a: 2 },
      use_default: true,
      inherited: ['method_label', 'sort_order', 'meta', 'is_active'],
      own: { method_label: 'Own', sort_order: 1, meta: { own: [1] }, is_active: true },
      version: 3,
      etag: '"3-000000000abc.5"',
      created_at: own.created_at,
      updated_at: own.updated_at,
    });
  });

  it('lists an inherited value even if it equals the stored one', () => {
    const { inherited, own: stored } = new EffectiveMethod(own, true, {
      ...origin,
      method_label: 'Own',
    }).toDto();

    expect(inherited).toContain('method_label');
    expect(stored.method_label).toBe('Own');
  });

  it('shows the carrier label of its default when there is one', () => {
    const dto = new EffectiveMethod(own, true, { ...origin, carrier_label: 'UPS' }).toDto();

    expect(dto).toMatchObject({ carrier_label: 'UPS', own: { carrier_label: 'Own carrier' } });
    expect(dto.inherited).toEqual(['carrier_label', 'method_label', 'sort_order', 'meta', 'is_active']);
  });

  it('shows the values of the default only for the fields that use_default names', () => {
    const dto = new EffectiveMethod({ ...own, use_default: ['method_label', 'meta'] }, true, origin).toDto();

    expect(dto).toMatchObject({
      method_label: 'Default',
      sort_order: 1,
      meta: { a: 2, b: 1 },
      is_active: true,
    });
    expect(dto.inherited).toEqual(['method_label', 'meta']);
    expect(dto.own).toEqual({ method_label: 'Own', meta: { own: [1] } });
  });

  it.each<[what: string, changed: EffectiveMethod]>([
    ['its own version', new EffectiveMethod({ ...own, version: 4 }, true, origin)],
    ['the version of the default', new EffectiveMethod(own, true, { ...origin, version: 6 })],
    ['a default that was made again', new EffectiveMethod(own, true, { ...origin, id: idOf(0xabd) })],
    ['a default that was removed', new EffectiveMethod(own, true)],
  ])('has another etag with %s', (_what, changed) => {
    expect(changed.etag).not.toBe(method.etag);
  });

  it('is searched by the inherited values, case-folded', () => {
    expect(method.foldedTexts).toEqual(['ups', 'own carrier', '03', 'default']);
  });
});

it('a method whose default does not exist yet shows the stored values, and its etag says so', () => {
  const method = new EffectiveMethod(own, true);

  expect(method.toDto()).toMatchObject({
    ...storedValuesOf(method.stored),
    inherited: [],
    own: {},
    etag: '"3-none"',
  });
  expect(method.foldedTexts).toEqual(['ups', 'own carrier', '03', 'own']);
});

describe('a method that inherits nothing', () => {
  const method = new EffectiveMethod(own, false);

  it('shows the stored values, and its etag is its version', () => {
    expect(method.toDto()).toMatchObject({
      ...storedValuesOf(method.stored),
      inherited: [],
      own: {},
      etag: '"3"',
    });
  });

  it('has JSON with its fields in order, and meta as stored', () => {
    expect(method.toJson()).toBe(
      '{"id":"019aa0b2-5c00-7a41-9d2b-000000000001","project_id":"shop","carrier_code":"ups",' +
        '"carrier_label":"Own carrier","method_code":"03","method_label":"Own","is_active":true,"sort_order":1,' +
        '"meta":{"own": [1]},"use_default":true,"inherited":[],"own":{},"version":3,"etag":"\\"3\\"",' +
        '"created_at":"2026-01-31T09:30:00.123Z","updated_at":"2026-01-31T09:30:00.123Z"}',
    );
  });

  it('is not changed by a caller that changes its dto', () => {
    const dto = method.toDto();
    Object.assign(dto, { method_label: 'Changed' });
    Object.assign(dto.meta, { own: 'changed' });
    Object.assign(dto.inherited, ['meta']);

    expect(method.toDto()).toMatchObject({ method_label: 'Own', meta: { own: [1] }, inherited: [] });
    expect(storedValuesOf(method.stored).meta).toEqual({ own: [1] });
  });

  it('is not changed by a caller that changes the use_default of its dto', () => {
    const partial = new EffectiveMethod({ ...own, use_default: ['meta'] }, false);
    const { use_default } = partial.toDto();

    Object(use_default).push('is_active');

    expect(partial.toDto().use_default).toEqual(['meta']);
  });
});

it('the JSON of any method is the JSON of its dto', () => {
  const property = fc.property(anyMethods, anyMethods, (methods, origins) => {
    for (const [index, values] of methods.entries()) {
      const from = origins[index] && storedMethod(origins[index]);
      const method = new EffectiveMethod(storedMethod(values), from !== undefined, from);
      const parsed: unknown = JSON.parse(method.toJson());

      expect(parsed).toEqual(method.toDto());
      expect(Object.keys(Object(parsed))).toEqual(Object.keys(method.toDto()));
    }
  });
  fc.assert(property, { seed: 7, numRuns: 100 });
});
