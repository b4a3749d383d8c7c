import fc from 'fast-check';
import { type JsonObject, type UpsertShippingMethodRequest } from 'nestjs-shipping';

// Values that engines are known to treat differently, and random ones beside them.

const texts = [
  ['ups', 'UPS', 'Ups Ground', 'x  y', ' lead', 'trail ', 'a\u00A0', 'a', 'zz', '0', '-1', '1e3', 'null'],
  // Folding: one character becomes several, or another one at the end of a word.
  [
    'Straße',
    'STRASSE',
    'Straẞe',
    'ﬀ',
    'ff',
    'ΟΔΟΣ',
    'οδος',
    'οδοσ',
    'ſ',
    'K',
    'K',
    'k',
    'ŉ',
    'ΐ',
    'ᾳ',
    'ǅ',
    'ĳ',
  ],
  ['İstanbul', 'istanbul', 'ıI', 'École', 'E\u0301cole', 'ecole', '\u1E69', 's\u0323\u0307', 's\u0307\u0323'],
  // Beyond the basic plane, and what UTF-16 sorts after it.
  ['😀', '👩‍👩‍👧', '𝒰ps', '𐐀', '𐐨', '\u{10FFFF}', '\uFFFD', '\uE000', 'ﷺ', '편의점', '한', '한', '字'],
  // Plain characters here, special in SQL, LIKE and JSON.
  [
    '50%',
    '%',
    '_',
    'a_b',
    'a%b',
    '\\',
    'a\\b',
    '\\\\',
    '\\n',
    '\\%',
    "it's",
    "''",
    "'",
    '"q"',
    '`b`',
    '?',
    '$1',
  ],
  // PGlite drops a byte order mark at the beginning of a text that it reads.
  [':a', '--', '/* a */', '; DROP TABLE x', '${a}', '{"a":1}', '\u2028', '\u200B', 'a\uFEFFb'],
].flat();
const longTexts = [
  '😀'.repeat(255),
  'ΐ'.repeat(255),
  'a'.repeat(255),
  `${'ß'.repeat(254)} `,
  '字'.repeat(256),
];
/** No label can have these, but a search can. */
const controls = ['\n', 'a\nb', '\t', '\r\n', '\u0001', '\u001A', '\u007F', '\b'];

const randomText = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });

export const label: fc.Arbitrary<string> = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.constantFrom(...longTexts) },
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: randomText },
);
export const searchedFields = ['carrier_code', 'method_code', 'carrier_label', 'method_label'] as const;

/**
 * `{text:3:0:1:5}` stands for a part of a text of the method with the index 3 in the project.
 * @param fields the indexes of the fields that it may be of
 */
export function ownText(...fields: number[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom('text', 'upper', 'lower'),
      fc.nat({ max: 4 }),
      fc.constantFrom(...fields),
      fc.constantFrom(0, 0, 1),
      fc.constantFrom(1, 2, 5, 300),
    )
    .map(([change, index, field, from, to]) => `{${change}:${index}:${field}:${from}:${to}}`);
}

const searched = fc.oneof(
  { weight: 8, arbitrary: ownText(0, 1, 2, 3) },
  { weight: 12, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.constantFrom(...controls) },
  { weight: 2, arbitrary: label },
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
  '\uFB00x',
  '字'.repeat(64),
  'a(b)',
];
const methodCodes = ['x y', 'bpack 24/7', 'DPD8:30', 'GS더프레시', 'ς', 'σ', '𐐀', 'x@y+z', '𝒰'.repeat(128)];

export const carrierCode = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('ups', 'UPS', 'É') },
  { weight: 2, arbitrary: fc.constantFrom(...carrierCodes) },
);
export const methodCode = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('03', 'ground') },
  { weight: 1, arbitrary: fc.constantFrom(...methodCodes) },
);

const metas: JsonObject[] = [
  {},
  { b: 1, a: 2 },
  { a: 2, b: 1 },
  { a: 1e-7 },
  { a: 5e-324 },
  { a: 2.225_073_858_507_201_4e-308 },
  { a: -0 },
  { a: 0 },
  { a: 0.1 + 0.2, b: 1.5e-5, c: 123_456_789.123_456_78, d: 1.000_000_000_000_000_2 },
  { a: Number.MAX_SAFE_INTEGER, b: Number.MIN_SAFE_INTEGER },
  { '': '', ' ': ' ', é: '😀\u2028\\"\'\n\u0001/', '\u{10FFFF}': '\uFFFD' },
  { 'e\u0301': 1, é: 2, E: 3, e: 4, 'e ': 5 },
  { a: { b: { c: { d: { e: { f: { g: {} } } } } } } },
  { a: [null, true, false, [], {}, [[]], ''] },
  { a: 'x'.repeat(16_000) },
  { a: '😀'.repeat(4_090) },
];

const tooDeep: JsonObject = { a: { b: { c: { d: { e: { f: { g: { h: {} } } } } } } } };

export const meta: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...metas) },
  { weight: 1, arbitrary: fc.constantFrom<JsonObject>({ a: 1e21 }, tooDeep, { a: '\0' }) },
  {
    weight: 1,
    arbitrary: fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }).map((a) => ({ a }) as JsonObject),
  },
);

const sortOrder = fc.constantFrom(-2_147_483_648, -1, 0, 0, 1, 2, 2_147_483_647);

export const body: fc.Arbitrary<UpsertShippingMethodRequest> = fc.record(
  {
    carrier_code: carrierCode,
    method_code: methodCode,
    method_label: label,
    carrier_label: fc.option(label),
    is_active: fc.option(fc.boolean()),
    sort_order: fc.option(sortOrder),
    meta: fc.option(meta),
    use_default: fc.option(fc.constantFrom(true, true, false)),
  } satisfies {
    [Field in keyof UpsertShippingMethodRequest]-?: fc.Arbitrary<UpsertShippingMethodRequest[Field]>;
  },
  { requiredKeys: ['carrier_code', 'method_code', 'method_label'] },
);

/** Refused before any statement is sent. */
export const refusedBody: fc.Arbitrary<object> = fc.constantFrom<object>(
  { carrier_code: 'ups', method_code: '03' },
  { carrier_code: 'ups ', method_code: 'e\u0301', method_label: 'a\u0000', meta: { a: '\uD800' } },
  { carrier_code: 'ups', method_code: '03', method_label: '\u202E', carier_label: 'x', sort_order: 2 ** 31 },
);

/** What a form changes in the method that it has loaded. */
export const edit: fc.Arbitrary<object> = fc.oneof(
  fc.constantFrom({}, {}, { sort_order: 1 }, { use_default: false }, { use_default: true }, { meta: {} }),
  fc.record({ method_label: label }),
  fc.record({ carrier_label: fc.option(label) }),
  fc.record({ method_code: methodCode }),
);

export { searched as searchedText };
