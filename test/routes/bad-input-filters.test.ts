import { answersExactly, type BadInput, violating, methods, type Verdict } from '../support/bad-inputs.js';

/** The text after `?`, and the answer. */
type Query = [given: string, query: string, answer: Verdict];

const fields = [
  'id',
  'carrier_code',
  'carrier_label',
  'method_code',
  'method_label',
  'is_active',
  'sort_order',
  'use_default',
  'version',
  'created_at',
  'updated_at',
];

const uuid = '01890000-0000-7000-8000-000000000000';
const filter = (value: unknown): string => `filter=${encodeURIComponent(JSON.stringify(value))}`;
const unknownField = (place: string): Verdict => ({ ...violating(`${place} unknown`), allowed: fields });
const times = (count: number, text: string): string => Array(count).fill(text).join('&');

const filters: Query[] = [
  ['an empty filter', 'filter=', 200],
  ['the filter {}', filter({}), 200],
  [
    'a filter on every kind of field',
    filter({
      id: uuid,
      carrier_code: ['ups', ''],
      is_active: true,
      sort_order: [1, -1],
      created_at: '2026-01-31T09:30:00+09:00',
    }),
    200,
  ],
  ['a filter with an empty list', filter({ carrier_code: [] }), 200],
  ['a filter that is not JSON', 'filter={', violating('filter format')],
  ['a filter that is a word', 'filter=ups', violating('filter format')],
  ['a filter that is a list', filter([]), violating('filter type')],
  ['a filter that is a string', filter('ups'), violating('filter type')],
  ['the filter null', filter(null), violating('filter type')],
  ['a filter of 2,000 levels', `filter=${'['.repeat(2_000)}${']'.repeat(2_000)}`, violating('filter type')],
  [
    'a filter value of 1,000 levels',
    `filter={"id":${'['.repeat(1_000)}${']'.repeat(1_000)}}`,
    violating('filter type'),
  ],
  ['a filter on an unknown field', filter({ carrier: 'ups' }), unknownField('filter')],
  ['a filter on meta', filter({ meta: {} }), unknownField('filter')],
  ['a filter on project_id', filter({ project_id: 'x' }), unknownField('filter')],
  ['a filter on __proto__', 'filter={"__proto__":1}', unknownField('filter')],
  ['a filter on constructor', filter({ constructor: 1 }), unknownField('filter')],
  ['a filter for null', filter({ carrier_label: null }), violating('filter type')],
  ['a filter for an object', filter({ carrier_code: { eq: 'ups' } }), violating('filter type')],
  ['a filter for a number in a text field', filter({ carrier_code: 1 }), violating('filter type')],
  ['a filter for "true"', filter({ is_active: 'true' }), violating('filter type')],
  ['a filter for 1 in a boolean field', filter({ use_default: 1 }), violating('filter type')],
  ['a filter for "1" in an integer field', filter({ sort_order: '1' }), violating('filter type')],
  ['a filter for 1.5', filter({ sort_order: 1.5 }), violating('filter type')],
  ['a filter for 2147483648', filter({ version: 2_147_483_648 }), violating('filter range')],
  ['a filter for 1e400', 'filter={"sort_order":-1e400}', violating('filter range')],
  ['a filter for an id that is not a UUID', filter({ id: 'x' }), violating('filter format')],
  ['a filter for a day', filter({ created_at: '2026-01-31' }), violating('filter format')],
  ['a filter for a NUL', filter({ carrier_code: '\0' }), violating('filter format')],
  ['a filter for a lone surrogate', filter({ carrier_code: '\uD800' }), violating('filter format')],
  [
    'a filter with two wrong fields and a wrong value',
    filter({ a: 1, b: 1, is_active: 0 }),
    violating('filter unknown', 'filter unknown', 'filter type'),
  ],
  ['a filter twice', 'filter={}&filter={}', violating('filter duplicate')],
  ['a filter of 100 values', filter({ version: Array(100).fill(1) }), 200],
  ['a filter of 101 values', filter({ version: Array(101).fill(1) }), violating('filter too_many')],
  ['a filter of 4 KiB', filter({ carrier_label: 'x'.repeat(4_096 - 20) }), 200],
  [
    'a filter of 4 KiB and a byte',
    filter({ carrier_label: 'x'.repeat(4_097 - 20) }),
    violating('filter too_large'),
  ],
];

const brackets: Query[] = [
  ['brackets', 'filter[carrier_code]=ups&filter[is_active]=true&filter[sort_order]=-1', 200],
  ['encoded brackets', `filter%5Bcarrier_code%5D=ups&filter%5Bid%5D=${uuid}`, 200],
  ['a bracket twice', 'filter[carrier_code]=ups&filter[carrier_code]=dhl', 200],
  ['both spellings', 'filter={}&filter[carrier_code]=ups', violating('filter not_allowed')],
  ['a bracket beside an empty filter', 'filter=&filter[carrier_code]=ups', 200],
  ['an empty bracket', 'filter[carrier_code]=', violating('filter[carrier_code] required')],
  ['a bracket without a field', 'filter[]=ups', unknownField('filter[]')],
  ['a bracket on an unknown field', 'filter[carrier]=ups', unknownField('filter[carrier]')],
  ['a bracket on __proto__', 'filter[__proto__]=ups', unknownField('filter[__proto__]')],
  [
    'a bracket on a field and a line break',
    'filter[carrier_code%0A]=ups',
    unknownField('filter[carrier_code\n]'),
  ],
  ['a bracket on a line break', 'filter[%0A]=ups', unknownField('filter[\n]')],
  ['text after a bracket', 'filter[carrier]x=ups&filter[carrier=ups&xfilter[carrier]=ups', 200],
  ['brackets in brackets', 'filter[carrier_code][]=ups', unknownField('filter[carrier_code][]')],
  ['a bracket of a boolean field with 1', 'filter[is_active]=1', violating('filter[is_active] type')],
  ['a bracket of a boolean field with TRUE', 'filter[is_active]=TRUE', violating('filter[is_active] type')],
  ['a bracket of an integer field with 1.5', 'filter[sort_order]=1.5', violating('filter[sort_order] type')],
  ['a bracket of an integer field with 1e2', 'filter[version]=1e2', violating('filter[version] type')],
  [
    'a bracket of an integer field with 2147483648',
    'filter[sort_order]=2147483648',
    violating('filter[sort_order] range'),
  ],
  [
    'a bracket of an integer field with 500 digits',
    `filter[sort_order]=-${'9'.repeat(500)}`,
    violating('filter[sort_order] range'),
  ],
  ['a bracket of an id with a word', 'filter[id]=x', violating('filter[id] format')],
  [
    'a bracket of a time with an unencoded +',
    'filter[created_at]=2026-01-31T09:30:00+01:00',
    violating('filter[created_at] format'),
  ],
  ['a bracket with a NUL', 'filter[carrier_code]=%00', violating('filter[carrier_code] format')],
  ['100 values of a bracket', times(100, 'filter[version]=1'), 200],
  ['101 values of a bracket', times(101, 'filter[version]=1'), violating('filter[version] too_many')],
  ['a bracket of 4 KiB', `filter[carrier_code]=${'x'.repeat(4_096)}`, 200],
  [
    'a bracket of 4 KiB and a byte',
    `filter[carrier_code]=${'x'.repeat(4_097)}`,
    violating('filter[carrier_code] too_large'),
  ],
];

answersExactly(
  'filter',
  [...filters, ...brackets].map(([given, query, answer]): BadInput => ({
    given,
    method: 'GET',
    path: `${methods}?${query}`,
    answer,
  })),
);
