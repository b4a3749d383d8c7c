import { answersExactly, type BadInput, violating, ground, methods } from '../support/bad-inputs.js';

const upsertFields = [
  'carrier_code',
  'carrier_label',
  'method_code',
  'method_label',
  'is_active',
  'sort_order',
  'meta',
  'use_default',
];

/** Fields that replace or extend those of a good body; then the expected violations, if any. */
type Fields = [given: string, fields: Record<string, unknown>, ...violations: string[]];

const astral = '𝒰';
const emoji = '🚚';
/** Normalizing these to NFC takes quadratic time, so a text of this length must be refused before that. */
const marks = `a${'\u0301\u0316'.repeat(60_000)}`;

const fields: Fields[] = [
  ['no carrier_code', { carrier_code: undefined }, '/carrier_code required'],
  ['a carrier_code of null', { carrier_code: null }, '/carrier_code required'],
  ['an empty carrier_code', { carrier_code: '' }, '/carrier_code length'],
  ['a carrier_code that is a number', { carrier_code: 5 }, '/carrier_code type'],
  ['a carrier_code that is a list', { carrier_code: ['ups'] }, '/carrier_code type'],
  ['a carrier_code that is an object', { carrier_code: { eq: 'ups' } }, '/carrier_code type'],
  ['a carrier_code of 64 letters', { carrier_code: 'x'.repeat(64) }],
  ['a carrier_code of 65 letters', { carrier_code: 'x'.repeat(65) }, '/carrier_code length'],
  ['a carrier_code of 64 astral letters', { carrier_code: astral.repeat(64) }],
  ['a carrier_code of 65 astral letters', { carrier_code: astral.repeat(65) }, '/carrier_code length'],
  ['a carrier_code in NFC that NFKC would change', { carrier_code: 'ﬀ' }],
  ['a carrier_code in NFD', { carrier_code: 'e\u0301cole' }, '/carrier_code format'],
  ['a carrier_code with a trailing space', { carrier_code: 'ups ' }, '/carrier_code format'],
  ['a carrier_code with a leading space', { carrier_code: ' ups' }, '/carrier_code format'],
  ['a carrier_code that begins with a hyphen', { carrier_code: '-ups' }, '/carrier_code format'],
  ['a carrier_code that begins with a mark', { carrier_code: '\u0301a' }, '/carrier_code format'],
  ['a carrier_code with a line break at its end', { carrier_code: 'ups\n' }, '/carrier_code format'],
  ['a carrier_code with a NUL', { carrier_code: 'u\0ps' }, '/carrier_code format'],
  ['a carrier_code with U+202E', { carrier_code: 'ups\u202E' }, '/carrier_code format'],
  ['a carrier_code with a no-break space', { carrier_code: 'u\u00A0s' }, '/carrier_code format'],
  ['a carrier_code with a zero-width space', { carrier_code: 'u\u200Bs' }, '/carrier_code format'],
  ['a carrier_code with a lone surrogate', { carrier_code: 'u\uD800' }, '/carrier_code format'],
  ['a carrier_code with an emoji', { carrier_code: `u${emoji}` }, '/carrier_code format'],
  [
    'a carrier_code both overlong and malformed',
    { carrier_code: '-'.repeat(65) },
    '/carrier_code length',
    '/carrier_code format',
  ],
  ['a carrier_code of 120,000 combining marks', { carrier_code: marks }, '/carrier_code length'],

  ['no method_code', { method_code: undefined }, '/method_code required'],
  ['a method_code of null', { method_code: null }, '/method_code required'],
  ['an empty method_code', { method_code: '' }, '/method_code length'],
  ['a method_code that is a number', { method_code: 3 }, '/method_code type'],
  ['a method_code of 128 letters', { method_code: 'x'.repeat(128) }],
  ['a method_code of 129 letters', { method_code: 'x'.repeat(129) }, '/method_code length'],
  ['a method_code of 128 astral letters', { method_code: astral.repeat(128) }],
  ['a method_code with every sign that is allowed', { method_code: '_a ()+-./:@_é1' }],
  ['a method_code with a comma', { method_code: 'a,b' }, '/method_code format'],
  ['a method_code with quotes', { method_code: `a'"b` }, '/method_code format'],
  ['a method_code with a trailing space', { method_code: '03 ' }, '/method_code format'],

  ['no method_label', { method_label: undefined }, '/method_label required'],
  ['a method_label of null', { method_label: null }, '/method_label required'],
  ['an empty method_label', { method_label: '' }, '/method_label length'],
  ['a method_label of blanks', { method_label: ' \u00A0\t\n' }, '/method_label length'],
  ['a method_label that is a boolean', { method_label: true }, '/method_label type'],
  ['a method_label of 255 emoji', { method_label: emoji.repeat(255) }],
  ['a method_label of 256 emoji', { method_label: emoji.repeat(256) }, '/method_label length'],
  ['a method_label of 255 letters among blanks', { method_label: `\n  ${'x'.repeat(255)}  ` }],
  ['a method_label of 510 code points that are 255 in NFC', { method_label: 'e\u0301'.repeat(255) }],
  [
    'a method_label of 128 code points that are 256 in NFC',
    { method_label: '\u0958'.repeat(128) },
    '/method_label length',
  ],
  ['a method_label with a NUL', { method_label: 'a\0b' }, '/method_label format'],
  ['a method_label with a line break inside', { method_label: 'a\nb' }, '/method_label format'],
  ['a method_label with U+007F', { method_label: 'a\u007F' }, '/method_label format'],
  ['a method_label with U+0085', { method_label: 'a\u0085b' }, '/method_label format'],
  ['a method_label with U+202A', { method_label: 'a\u202Ab' }, '/method_label format'],
  ['a method_label with U+202E', { method_label: 'a\u202Eb' }, '/method_label format'],
  ['a method_label with U+2066, which is outside of U+202A–202E', { method_label: 'a\u2066b' }],
  ['a method_label with a high surrogate alone', { method_label: 'a\uD83D' }, '/method_label format'],
  ['a method_label with a low surrogate alone', { method_label: '\uDE9Aa' }, '/method_label format'],
  ['a method_label of 120,000 combining marks', { method_label: marks }, '/method_label length'],

  ['a carrier_label of null', { carrier_label: null }],
  ['an empty carrier_label', { carrier_label: '' }, '/carrier_label length'],
  ['a carrier_label of blanks', { carrier_label: '   ' }, '/carrier_label length'],
  ['a carrier_label that is a number', { carrier_label: 0 }, '/carrier_label type'],
  ['a carrier_label that is a list', { carrier_label: [] }, '/carrier_label type'],
  ['a carrier_label of 255 letters', { carrier_label: 'é'.repeat(255) }],
  ['a carrier_label of 256 letters', { carrier_label: 'é'.repeat(256) }, '/carrier_label length'],
  ['a carrier_label with an escape character', { carrier_label: 'a\u001Bb' }, '/carrier_label format'],

  ['is_active of "true"', { is_active: 'true' }, '/is_active type'],
  ['is_active of 1', { is_active: 1 }, '/is_active type'],
  ['is_active of {}', { is_active: {} }, '/is_active type'],
  ['is_active of null', { is_active: null }],
  ['use_default of "false"', { use_default: 'false' }, '/use_default type'],
  ['use_default of 0', { use_default: 0 }, '/use_default type'],
  ['use_default of []', { use_default: [] }, '/use_default type'],
  ['use_default of null', { use_default: null }],

  ['a sort_order of null', { sort_order: null }],
  ['a sort_order of "1"', { sort_order: '1' }, '/sort_order type'],
  ['a sort_order of 1.5', { sort_order: 1.5 }, '/sort_order type'],
  ['a sort_order of true', { sort_order: true }, '/sort_order type'],
  ['a sort_order of [1]', { sort_order: [1] }, '/sort_order type'],
  ['a sort_order of 2147483647', { sort_order: 2_147_483_647 }],
  ['a sort_order of 2147483648', { sort_order: 2_147_483_648 }, '/sort_order range'],
  ['a sort_order of −2147483648', { sort_order: -2_147_483_648 }],
  ['a sort_order of −2147483649', { sort_order: -2_147_483_649 }, '/sort_order range'],

  ['carier_label, a typo', { carier_label: 'UPS' }, '/carier_label unknown'],
  ['Carrier_Label, in another case', { Carrier_Label: 'UPS' }, '/Carrier_Label unknown'],
  ['an id', { id: 'x' }, '/id unknown'],
  ['a project_id', { project_id: 'other' }, '/project_id unknown'],
  ['a version of null', { version: null }, '/version unknown'],
  ['a field "constructor"', { constructor: {} }, '/constructor unknown'],
  ['a field without a name', { '': 1 }, '/ unknown'],
  ['a field whose name needs escapes in a pointer', { 'a/b~c': 1 }, '/a~1b~0c unknown'],
  ['a field whose name is a lone surrogate', { '\uD800': 1 }, '/\uFFFD unknown'],
  [
    'the fields that only answers have',
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
    'a violation in each field',
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

/** PATCH refuses the same, missing required fields included. */
const changes: Fields[] = fields.filter(
  ([, , first]) => first?.endsWith('required') || first?.endsWith('unknown'),
);

const inputs: BadInput[] = [
  ...fields.map(([given, sent, ...violations]): BadInput => {
    const answer = violations.length === 0 ? 201 : { ...violating(...violations), ...allowedIn(violations) };
    return { given, method: 'POST', path: methods, body: { ...ground, ...sent }, answer };
  }),
  ...changes.map(([given, sent, ...violations]): BadInput => {
    const answer = { ...violating(...violations), ...allowedIn(violations) };
    return { given, method: 'PATCH', path: `${methods}/{id}`, body: { ...ground, ...sent }, answer };
  }),
];

function allowedIn([first]: readonly string[]): { allowed?: string[] } {
  return first?.endsWith('unknown') ? { allowed: upsertFields } : {};
}

answersExactly('each field of a body', inputs);
