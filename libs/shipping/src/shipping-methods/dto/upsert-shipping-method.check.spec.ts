import { describe, expect, it } from 'vitest';
import { ValidationFailedError, Violations } from '../../validation/violations.js';
import { isRequired, settableFields } from '../method-fields.js';
import { inheritableFields } from '../use-default.js';
import { checkPatch, checkUpsert, checkUpserts } from './upsert-shipping-method.check.js';
import { UpsertShippingMethodFields } from './upsert-shipping-method.dto.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

/** @returns the request, or undefined when it is refused */
const check = (input: unknown): object | undefined => {
  const violations = new Violations();
  const request = checkUpsert(violations, input);
  return violations.any ? undefined : request;
};

describe('a patch', () => {
  it('needs no field, and checks those that it has', () => {
    expect(violationsOf({}, checkPatch)).toEqual([]);
    expect(violationsOf({ is_active: false, method_label: undefined }, checkPatch)).toEqual([]);
    expect(violationsOf({ carrier_code: null, method_label: '', id: 'x' }, checkPatch)).toMatchObject([
      { pointer: '/id', code: 'unknown' },
      { pointer: '/carrier_code', code: 'required' },
      { pointer: '/method_label', code: 'length' },
    ]);
  });
});

function violationsOf(
  input: unknown,
  checked: (violations: Violations, input: unknown) => unknown = checkUpsert,
): { pointer: string; code: string; detail: string; allowed?: readonly string[] }[] {
  const violations = new Violations();
  checked(violations, input);
  try {
    violations.throwIfAny();
  } catch (error) {
    if (error instanceof ValidationFailedError) return error.violations as [];
  }
  return [];
}

/** The fields replace or extend those of a good body. The violations follow, if there are any. */
type Fields = [fields: Record<string, unknown>, ...violations: string[]];

const astral = '𝒰';
const emoji = '🚚';
/** It takes quadratic time to normalise this text to NFC. So its length must be refused before that. */
const marks = `a${'\u0301\u0316'.repeat(60_000)}`;

const rows: Fields[] = [
  [{ carrier_code: undefined }, '/carrier_code required'],
  [{ carrier_code: null }, '/carrier_code required'],
  [{ carrier_code: '' }, '/carrier_code length'],
  [{ carrier_code: 5 }, '/carrier_code type'],
  [{ carrier_code: astral.repeat(64) }],
  [{ carrier_code: astral.repeat(65) }, '/carrier_code length'],
  [{ carrier_code: 'ﬀ' }],
  [{ carrier_code: 'e\u0301cole' }, '/carrier_code format'],
  [{ carrier_code: 'ups ' }, '/carrier_code format'],
  [{ carrier_code: ' ups' }, '/carrier_code format'],
  [{ carrier_code: 'u  s' }, '/carrier_code format'],
  [{ carrier_code: '\u0301s' }, '/carrier_code format'],
  [{ carrier_code: '-ups' }],
  [{ carrier_code: 'ups\n' }, '/carrier_code format'],
  [{ carrier_code: 'u\0ps' }, '/carrier_code format'],
  [{ carrier_code: 'u\u00A0s' }, '/carrier_code format'],
  [{ carrier_code: 'u\uD800' }, '/carrier_code format'],
  [{ carrier_code: `u${emoji}` }],
  [{ carrier_code: `${'x'.repeat(64)} ` }, '/carrier_code length', '/carrier_code format'],
  [{ carrier_code: marks }, '/carrier_code length'],

  [{ method_code: undefined }, '/method_code required'],
  [{ method_code: '' }, '/method_code length'],
  [{ method_code: 'x'.repeat(128) }],
  [{ method_code: 'x'.repeat(129) }, '/method_code length'],
  [{ method_code: '_a ()+-./:@_é1' }],
  [{ method_code: `!"#$%&'*,;<=>?[\\]^\`{|}~` }],

  [{ method_label: undefined }, '/method_label required'],
  [{ method_label: '' }, '/method_label length'],
  [{ method_label: ' \u00A0\t\n' }, '/method_label length'],
  [{ method_label: true }, '/method_label type'],
  [{ method_label: emoji.repeat(255) }],
  [{ method_label: emoji.repeat(256) }, '/method_label length'],
  [{ method_label: `\n  ${'x'.repeat(255)}  ` }],
  [{ method_label: 'e\u0301'.repeat(255) }],
  [{ method_label: '\u0958'.repeat(128) }, '/method_label length'],
  [{ method_label: 'a\0b' }, '/method_label format'],
  [{ method_label: 'a\nb' }, '/method_label format'],
  [{ method_label: 'a\u0085b' }, '/method_label format'],
  [{ method_label: 'a\u202Ab' }, '/method_label format'],
  [{ method_label: 'a\u202Eb' }, '/method_label format'],
  [{ method_label: 'a\u2066b' }, '/method_label format'],
  [{ method_label: 'a\u2066b\u2069' }],
  [{ method_label: '\u200B' }, '/method_label format'],
  [{ method_label: 'a\uD83D' }, '/method_label format'],
  [{ method_label: marks }, '/method_label length'],

  [{ carrier_label: null }],
  [{ carrier_label: '' }, '/carrier_label length'],
  [{ carrier_label: 'é'.repeat(256) }, '/carrier_label length'],

  [{ is_active: 'true' }, '/is_active type'],
  [{ is_active: 1 }, '/is_active type'],
  [{ is_active: null }],
  [{ use_default: 'false' }, '/use_default type'],
  [{ use_default: 0 }, '/use_default type'],
  [{ use_default: {} }, '/use_default type'],
  [{ use_default: 'meta' }, '/use_default type'],
  [{ use_default: null }],
  [{ use_default: [] }],
  [{ use_default: [...inheritableFields].toReversed() }],
  [{ use_default: ['meta', 'method_code'] }, '/use_default/1 not_allowed'],
  [{ use_default: ['META', 'constructor'] }, '/use_default/0 not_allowed', '/use_default/1 not_allowed'],
  [
    { use_default: ['meta', 'is_active', 'meta', 'meta'] },
    '/use_default/2 duplicate',
    '/use_default/3 duplicate',
  ],
  [{ use_default: [true, null, ['meta']] }, ...[0, 1, 2].map((index) => `/use_default/${index} type`)],

  [{ sort_order: null }],
  [{ sort_order: '1' }, '/sort_order type'],
  [{ sort_order: 1.5 }, '/sort_order type'],
  [{ sort_order: 2_147_483_647 }],
  [{ sort_order: 2_147_483_648 }, '/sort_order range'],
  [{ sort_order: -2_147_483_648 }],
  [{ sort_order: -2_147_483_649 }, '/sort_order range'],

  [{ carier_label: 'UPS' }, '/carier_label unknown'],
  [{ carier_label: undefined }],
  [{ meta: { coupon: undefined, at: new Date(0) } }],
  [{ constructor: {} }, '/constructor unknown'],
  [{ '': 1 }, '/ unknown'],
  [{ 'a/b~c': 1 }, '/a~1b~0c unknown'],
  [{ '\uD800': 1 }, '/\uFFFD unknown'],
  [
    {
      id: 'x',
      project_id: 'p',
      inherited: [],
      own: {},
      version: 1,
      etag: '"1"',
      created_at: '',
      updated_at: '',
    },
    ...['id', 'project_id', 'inherited', 'own', 'version', 'etag', 'created_at', 'updated_at'].map(
      (f) => `/${f} unknown`,
    ),
  ],
  [
    {
      carrier_code: null,
      carrier_label: 1,
      method_code: '',
      method_label: '\0',
      is_active: 'yes',
      sort_order: 0.5,
      meta: [],
      use_default: 'no',
      x: 1,
    },
    '/carrier_code required',
    '/carrier_label type',
    '/method_code length',
    '/method_label format',
    '/is_active type',
    '/sort_order type',
    '/meta type',
    '/use_default type',
    '/x unknown',
  ],
];

describe('the fields of a request', () => {
  it.each(rows.map((row) => [JSON.stringify(row[0]).slice(0, 80), row] as const))('%s', (_title, row) => {
    const [fields, ...violations] = row;

    const found = violationsOf({ ...ground, ...fields });

    expect(found.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual(violations.toSorted());
  });

  it('are required when they have no default', () => {
    const required = settableFields.filter(isRequired).map((name) => `/${name}`);

    expect(violationsOf({}).map(({ pointer }) => pointer)).toEqual(required);
  });

  it('are refused when they are unknown, with a list of the known ones', () => {
    expect(violationsOf({ ...ground, carier_label: 'UPS' })[0]?.allowed).toEqual(settableFields);
  });
});

it('the violation of a code names the character, because people may not see it', () => {
  const details = (fields: object): string[] =>
    violationsOf({ ...ground, ...fields }).map(({ detail }) => detail);

  expect(details({ carrier_code: '\uFEFFups', method_code: 'a\0b' })).toEqual([
    expect.stringContaining('carrier_code must not contain U+FEFF at position 1.'),
    expect.stringContaining('method_code must not contain U+0000 at position 2.'),
  ]);
});

describe('a request to create or update', () => {
  it('stays the same when it is checked again', () => {
    const request = check({ ...ground, carrier_label: ' e\u0301 ', sort_order: null, meta: { a: 1 } });

    expect(request).toMatchObject({ ...ground, carrier_label: '\u00E9', sort_order: null, meta: { a: 1 } });
    expect(check(request)).toEqual(request);
  });

  it.each<[sent: unknown, checked: unknown]>([
    [true, true],
    [false, false],
    [null, null],
    [[], false],
    [['meta'], ['meta']],
    [
      ['is_active', 'carrier_label'],
      ['carrier_label', 'is_active'],
    ],
    [['is_active', 'meta', 'method_label', 'sort_order', 'carrier_label'], true],
  ])('with use_default %j gets %j', (use_default, checked) => {
    expect(check({ ...ground, use_default })).toMatchObject({ use_default: checked });
  });

  it('that is an instance of its class is checked again while it has violations', () => {
    const instance = Object.assign(new UpsertShippingMethodFields(), ground, { is_active: 'yes' });

    expect(check(instance)).toBeUndefined();
    expect(check(instance)).toBeUndefined();
    expect(check(Object.assign(instance, { is_active: true }))).toMatchObject({ ...ground, is_active: true });
  });

  it('that a caller has frozen is checked, and its labels are normalised', () => {
    const frozen = (fields: object): object =>
      Object.freeze(Object.assign(new UpsertShippingMethodFields(), ground, fields));

    expect(check(frozen({ carrier_code: ' ups' }))).toBeUndefined();
    expect(check(frozen({ method_label: ' x ' }))).toMatchObject({ method_label: 'x' });
  });
});

describe('a list of requests', () => {
  const express = { ...ground, method_code: '01' };
  const paket = { carrier_code: 'dhl', method_code: 'paket', method_label: 'DHL Paket' };

  const errors: [given: string, requests: unknown, violations: [pointer: string, code: string][]][] = [
    ['no array', { 0: ground }, [['', 'type']]],
    ['a request that is no object', [ground, 'ups'], [['/1', 'type']]],
    ['a hole in the array', [ground, undefined], [['/1', 'type']]],
    ['a pair of codes twice', [ground, express, { ...ground }], [['/2', 'duplicate']]],
    [
      'missing codes, which are not the same codes twice',
      [
        { carrier_code: 'ups', method_label: 'a' },
        { carrier_code: 'ups', method_label: 'b' },
      ],
      [
        ['/0/method_code', 'required'],
        ['/1/method_code', 'required'],
      ],
    ],
    [
      'the violations of all requests',
      [
        ground,
        { ...express, sort_order: '1' },
        paket,
        { carrier_code: 'x', method_code: 'y' },
        { ...paket, meta: { constructor: 1 }, method_code: 'z' },
        { ...paket, use_default: ['meta', 'nothing'], method_code: 'ä' },
        // Its two codes together are the same text as those of the first request.
        { ...ground, carrier_code: 'ups0', method_code: '3' },
      ],
      [
        ['/1/sort_order', 'type'],
        ['/3/method_label', 'required'],
        ['/4/meta/constructor', 'not_allowed'],
        ['/5/use_default/1', 'not_allowed'],
      ],
    ],
  ];
  it.each(errors)('is refused for %s', (_given, requests, violations) => {
    const found = violationsOf(requests, checkUpserts);

    expect(found.map(({ pointer, code }) => [pointer, code])).toEqual(violations);
  });
});
