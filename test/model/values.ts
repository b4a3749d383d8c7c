import fc from 'fast-check';

// Values that engines, drivers and JavaScript are known to treat differently, beside plain ones.

const texts = [
  ['ups', 'UPS', 'ground', 'Ground', '03', 'É', 'élan', 'ж', '字', 'zz', 'Z z', 'UPS Ground', 'Élan 50%'],
  // Folding: one character becomes several, or another one at the end of a word.
  ['Straße', 'STRASSE', 'Straẞe', 'ﬀ', 'ff', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'ſ', '\u212A', 'k', 'ŉ', 'ΐ', 'ᾳ', 'ǅ'],
  ['İstanbul', 'istanbul', 'ıI', 'École', 'E\u0301cole', 'ecole', '\u1E69', 's\u0323\u0307'],
  ['Łódź', 'LODZ', 'Đặng', 'dang', 'Ǿre', 'ore', 'Ελλάδα', 'ΕΛΛΑΔΑ', 'が', 'か', 'й', 'и'],
  // Beyond the basic plane, and what UTF-16 sorts after it.
  ['😀', '👩‍👩‍👧', '𝒰ps', '𐐀', '𐐨', '\uFFFD', 'ﷺ', '편의점', '한', '한'],
  // Plain characters here, special in SQL, LIKE and JSON.
  ['50%', '%', '_', 'a_b', 'a%b', '\\', 'a\\b', '\\n', '\\%', "it's", "''", '"q"', '`b`', '?', '$1', ':a'],
  ['--', '; DROP TABLE x', '{"a":1}', '0', '-1', '1e3', 'null', 'x  y', ' lead', 'trail ', 'a\u00A0'],
].flat();

export const text = fc.constantFrom(...texts);

/** At most as long as a label may be. */
export const label = fc.oneof(
  { weight: 9, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom('😀'.repeat(255), 'ΐ'.repeat(255), `${'ß'.repeat(254)} `) },
);

const carrierCodes = [
  'Straße',
  'ﬀ',
  '𝒰ps',
  'E_1',
  '편의점',
  'ups/2',
  'ΟΔΟΣ',
  'οδος',
  '字'.repeat(64),
  'a(b)',
  "l'été",
  '%_\\',
];
const methodCodes = [
  ['x y', 'bpack 24/7', 'DPD8:30', 'GS더프레시', 'ς', 'σ', '𐐀', 'x@y+z', '𝒰'.repeat(128)],
  ['sendcloud:letter/standard,x=1', 'U2hpcHBpbmc6MQ==', 'Standard%20Shipping-8.00', '{"a":\'`$1'],
].flat();

/** Few plain ones, so that methods meet. */
export const codes = {
  carrier_code: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('ups', 'ups', 'UPS', 'é') },
    { weight: 1, arbitrary: fc.constantFrom(...carrierCodes) },
  ),
  method_code: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('03', '03', 'Z z', '字') },
    { weight: 1, arbitrary: fc.constantFrom(...methodCodes) },
  ),
};

export const meta = fc.constantFrom<Record<string, unknown>>(
  {},
  { a: 1 },
  { b: [1, { c: null }], a: 1 },
  { a: 1e-7, b: 5e-324, c: 0.1 + 0.2, d: 123_456_789.123_456_78, e: 1.000_000_000_000_000_2 },
  { a: Number.MAX_SAFE_INTEGER, b: Number.MIN_SAFE_INTEGER },
  { '': '', ' ': ' ', é: '😀\u2028\\"\'\n\u0001/', '\u{10FFFF}': '\uFFFD' },
  { 'e\u0301': 1, é: 2, E: 3, e: 4, 'e ': 5 },
  { a: { b: { c: { d: { e: { f: { g: {} } } } } } } },
  { a: [null, true, false, [], {}, [[]], ''] },
  { a: '😀'.repeat(4_090) },
);

export const past = '2001-02-03T04:05:06.789Z';
export const future = '2999-12-31T23:59:59+01:00';

export const time = fc.constantFrom(
  past,
  '2001-02-03T05:05:06.789+01:00',
  '0001-01-01T00:00:00Z',
  '1582-10-10T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '2026-03-29T02:30:00.001+01:00',
  future,
  '9999-12-31T23:59:59.999Z',
);

/** Keys that engines compare by other rules than ours. */
export const dedupeKeys = fc.constantFrom('k', 'k', 'K', 'é', 'e', "'", '\\', '😀'.repeat(128), null);
