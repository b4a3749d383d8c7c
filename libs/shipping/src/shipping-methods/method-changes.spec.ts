import { describe, expect, it } from 'vitest';
import { ShippingHttpError } from '../problems/shipping-http.error.js';
import { isUuid } from '../validation/identifiers.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { type Decide, decideCreate, decideRemove, decideUpdate, decideUpsert } from './method-changes.js';
import { settableFields } from './method-fields.js';
import { MethodView } from './method-view.js';
import { idOf, methodSet } from './stored-method.sample.js';

const defaults = methodSet(
  [{ id: idOf(0xd), method_label: 'Default', sort_order: 5, meta: '{"a": 1}', version: 2 }],
  'default',
);
const view = new MethodView(
  methodSet([
    { method_label: 'Own', meta: '{"b": 2, "a": 1}', version: 4, use_default: true },
    { method_code: '12', version: 1 },
  ]),
  defaults,
);
const [inheriting, plain] = [idOf(1), idOf(2)];
const codes = { carrier_code: 'ups', method_code: '03' };
const free = { carrier_code: 'dhl', method_code: 'express', method_label: 'Express' };
const stored = { ...codes, method_label: 'Own', meta: { a: 1, b: 2 }, use_default: true };
const shown = { ...codes, method_label: 'Default', sort_order: 5, meta: { a: 1 } };
const second = { carrier_code: 'ups', method_code: '12', method_label: 'Ground' };

/** @returns the problem with which the call is refused */
function errorOf(decide: Decide, seen = view): object | undefined {
  try {
    decide(seen);
  } catch (error) {
    if (error instanceof ShippingHttpError) return error.problem;
    throw error;
  }
  return undefined;
}

const filledIn = {
  carrier_label: null,
  is_active: true,
  sort_order: 0,
  meta: {},
  use_default: false,
};

describe('a creation', () => {
  it('inserts one row, with the defaults of the fields that are missing or null', () => {
    const request = { ...free, sort_order: null, meta: null, use_default: null };

    const [write, ...others] = decideCreate(request, 10)(view);

    expect(others).toEqual([]);
    expect(write).toEqual({ kind: 'insert', id: write?.id, values: { ...filledIn, ...free } });
    expect(isUuid(write?.id)).toBe(true);
  });

  it.each<[what: string, request: UpsertShippingMethodRequest, identical: boolean]>([
    ['exactly the stored values, with the keys of meta in another order', stored, true],
    ['the visible values', { ...shown, use_default: true }, false],
    ['another label', { ...stored, method_label: 'Other' }, false],
    ['fewer values than are stored', { ...codes, method_label: 'Own' }, false],
  ])('is refused when its codes are taken and it sends %s', (_what, request, identical) => {
    expect(errorOf(decideCreate(request, 2))).toMatchObject({
      status: 409,
      code: 'duplicate_method',
      existing_id: inheriting,
      identical,
    });
  });

  const complete = {
    ...codes,
    carrier_label: 'UPS',
    method_label: 'Own',
    is_active: false,
    sort_order: 3,
    meta: { a: 1 },
  };
  const others = {
    carrier_label: 'Other',
    method_label: 'Other',
    is_active: true,
    sort_order: 4,
    meta: { a: 2 },
  };
  const holder = (use_default: boolean): MethodView =>
    new MethodView(
      methodSet([{ ...complete, meta: JSON.stringify(complete.meta), use_default }]),
      methodSet([{ ...codes, ...others, meta: JSON.stringify(others.meta) }], 'default'),
    );

  it.each([true, false])(
    'is reported as identical when it sends every stored value, with use_default %j',
    (use_default) => {
      const error = errorOf(decideCreate({ ...complete, use_default }, 10), holder(use_default));

      expect(error).toMatchObject({ identical: true });
    },
  );

  it.each(
    settableFields
      .filter((name) => !name.endsWith('_code'))
      .flatMap((name) => [true, false].map((use_default) => ({ name, use_default }))),
  )(
    'is not reported as identical when only $name differs, with use_default $use_default',
    ({ name, use_default }) => {
      const same = { ...complete, use_default };
      // These are the values that an inheriting method shows.
      const other = { ...codes, ...others, use_default: !use_default }[name];

      const error = errorOf(decideCreate({ ...same, [name]: other }, 10), holder(use_default));

      expect(error).toMatchObject({ code: 'duplicate_method', identical: false });
    },
  );

  it('is refused when the project is full', () => {
    expect(errorOf(decideCreate(free, 2))).toMatchObject({ code: 'too_many_methods', max_methods: 2 });
    expect(errorOf(decideCreate(free, 3))).toBeUndefined();
  });
});

describe('an update', () => {
  it('keeps the fields that it leaves out', () => {
    const writes = decideUpdate(inheriting, { ...codes, method_label: 'New' }, {})(view);

    expect(writes).toEqual([
      {
        kind: 'update',
        id: inheriting,
        values: {
          ...filledIn,
          ...stored,
          method_label: 'New',
          use_default: ['carrier_label', 'sort_order', 'meta', 'is_active'],
        },
      },
    ]);
  });

  it.each<[what: string, id: string, request: UpsertShippingMethodRequest]>([
    ['the visible values', inheriting, shown],
    ['the visible values, with use_default', inheriting, { ...shown, use_default: true }],
    ['the stored values', plain, second],
    ['the defaults of all fields', plain, { ...second, sort_order: null, meta: {}, is_active: true }],
  ])('changes nothing when it sends %s', (_what, id, request) => {
    expect(decideUpdate(id, request, {})(view)).toEqual([]);
  });

  it.each([idOf(9), 'no-id', '', idOf(0xd), `${plain} `])('is refused for the id %j', (id) => {
    expect(errorOf(decideUpdate(id, shown, {}))).toMatchObject({
      status: 404,
      code: 'method_not_found',
    });
  });

  it('is refused when another method has its new codes', () => {
    const error = errorOf(decideUpdate(plain, { ...codes, method_label: 'Own' }, {}));

    expect(error).toMatchObject({ status: 409, code: 'duplicate_method', existing_id: inheriting });
    // Only a create can be repeated safely.
    expect(error).not.toHaveProperty('identical');
  });

  const etag = '"4-00000000000d.2"';

  it.each([['"4"'], [etag], ['"9"', etag], ['"9"', '"4"']])(
    'is accepted with the option etag %j',
    (...etags) => {
      expect(decideUpdate(inheriting, free, { etag: etags })(view)).toHaveLength(1);
    },
  );

  it.each([[], ['"3"'], ['"4-00000000000d.1"'], ['"4-00000000000e.2"'], ['4'], [`W/${etag}`], ['*']])(
    'is refused with the option etag %j',
    (...etags) => {
      expect(errorOf(decideUpdate(inheriting, free, { etag: etags }))).toMatchObject({
        status: 412,
        code: 'version_mismatch',
        current_version: 4,
      });
    },
  );

  it('is refused for a missing method first, then a wrong etag, then taken codes', () => {
    expect(errorOf(decideUpdate(plain, stored, { etag: ['"9"'] }))).toMatchObject({
      code: 'version_mismatch',
    });
    expect(errorOf(decideUpdate(idOf(9), stored, { etag: ['"9"'] }))).toMatchObject({
      code: 'method_not_found',
    });
  });
});

describe('a removal', () => {
  it('removes one row', () => {
    expect(decideRemove(plain.toUpperCase(), {})(view)).toEqual([{ kind: 'remove', id: plain }]);
  });

  it('is refused for a method that is not there, and with a wrong etag', () => {
    expect(errorOf(decideRemove(idOf(9), { etag: ['"1"'] }))).toMatchObject({ code: 'method_not_found' });
    expect(errorOf(decideRemove('no-id', {}))).toMatchObject({ code: 'method_not_found' });
    expect(errorOf(decideRemove(plain, { etag: ['"2"'] }))).toMatchObject({
      code: 'version_mismatch',
      current_version: 1,
    });
    expect(decideRemove(plain, { etag: ['"1"'] })(view)).toHaveLength(1);
  });
});

describe('an upsert', () => {
  it('inserts a method that does not exist', () => {
    expect(decideUpsert([free], { maxMethods: 10 })(view)).toMatchObject([
      { kind: 'insert', values: { ...filledIn, ...free } },
    ]);
  });

  it('is refused when it would insert into a full project, and not when it updates', () => {
    expect(errorOf(decideUpsert([free], { maxMethods: 2 }))).toMatchObject({
      code: 'too_many_methods',
      max_methods: 2,
    });
    expect(decideUpsert([{ ...second, sort_order: 1 }], { maxMethods: 1 })(view)).toHaveLength(1);
  });

  it('changes nothing when it sends the stored or the visible values', () => {
    expect(decideUpsert([second], { maxMethods: 10 })(view)).toEqual([]);
    expect(decideUpsert([shown], { maxMethods: 10 })(view)).toEqual([]);
  });
});
