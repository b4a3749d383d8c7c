import {
  answersExactly,
  type BadInput,
  violating,
  methods,
  type Refusal,
  type Verdict,
} from '../support/bad-inputs.js';

/** The value of `raw_filters`, where a string is sent as it is, and the answer. */
type RawFilters = [given: string, value: unknown, answer: Verdict];

const refused = (...codes: string[]): Refusal => violating(...codes.map((code) => `raw_filters ${code}`));
const one = (field: unknown, op: unknown, value?: unknown): unknown[] => [{ field, op, value }];
const is = { field: 'is_active', op: 'eq', value: true };
const many = (count: number, element: unknown = is): unknown[] => Array(count).fill(element);
const bytes = (count: number, filling: string): unknown[] => {
  const room = count - Buffer.byteLength(JSON.stringify(one('carrier_label', 'eq', '')));
  const size = Buffer.byteLength(filling);
  return one('carrier_label', 'eq', 'x'.repeat(room % size) + filling.repeat(Math.floor(room / size)));
};
const shapes: RawFilters[] = [
  ['nothing', '', 200],
  ['no conditions', [], 200],
  ['text that is not JSON', '[', refused('format')],
  ['truncated JSON', '[{"field":"id"', refused('format')],
  ['an object', is, refused('type')],
  ['null', 'null', refused('type')],
  ['a string', '"x"', refused('type')],
  ['1,000 levels of arrays', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, refused('type')],
  ['2,000 opening brackets', '['.repeat(2_000), refused('format')],
  ['conditions that are not objects', [1, null, 'x', []], refused('type', 'type', 'type', 'type')],
  ['an empty condition', [{}], refused('required', 'required', 'required')],
  ['a condition without field', [{ op: 'eq', value: 1 }], refused('required')],
  ['a condition without op', [{ field: 'id', value: 1 }], refused('required')],
  ['a condition without value', [{ field: 'is_active', op: 'eq' }], refused('required')],
  [
    'an unknown key',
    [{ ...is, not: true }],
    { ...violating('raw_filters unknown'), allowed: ['field', 'op', 'value'] },
  ],
  ['the key __proto__', '[{"field":"is_active","op":"eq","value":true,"__proto__":1}]', refused('unknown')],
  ['an unknown field', one('meta', 'eq', 1), refused('unknown')],
  ['the field constructor', one('constructor', 'eq', 1), refused('unknown')],
  ['the field project_id', one('project_id', 'ne', 'x'), refused('unknown')],
  ['a field with SQL', one('id" OR 1=1 --', 'eq', 'x'), refused('unknown')],
  ['an operator of SQL', one('id', 'LIKE', '%'), refused('not_allowed')],
  ['an operator in another case', one('id', 'EQ', 'x'), refused('not_allowed')],
  ['the operator constructor', one('id', 'constructor', 'x'), refused('not_allowed')],
  [
    '60 conditions that are not objects',
    many(60, 1),
    { ...refused(...Array<string>(50).fill('type')), truncated: true },
  ],

  ['an or of two conditions', [{ or: [is, is] }], 200],
  ['an empty or', [{ or: [] }], 200],
  ['an or that is not a list', [{ or: is }], refused('type')],
  ['an or in an or', [{ or: [{ or: [is] }] }], refused('not_allowed')],
  ['an or beside other keys', [{ or: [is], field: 'id' }], refused('not_allowed')],
  ['an or with a bad condition', [{ or: [is, { ...is, value: 1 }] }], refused('type')],
  ['20 conditions', many(20), 200],
  ['21 conditions', many(21), refused('too_many')],
  ['20 conditions, ten of them in an or', [...many(10), { or: many(10) }], 200],
  ['21 conditions, eleven of them in an or', [...many(10), { or: many(11) }], refused('too_many')],
  ['100 values', one('version', 'in', many(100, 1)), 200],
  ['101 values', one('version', 'nin', many(101, 1)), refused('too_many')],
  ['4 KiB', bytes(4_096, 'x'), 200],
  ['4 KiB and a byte', bytes(4_097, 'x'), refused('too_large')],
  ['4 KiB of emoji', bytes(4_096, '🚚'), 200],
  ['4 KiB and a byte of emoji', bytes(4_097, '🚚'), refused('too_large')],
];

const asQuery = (value: unknown): string =>
  `raw_filters=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`;

const isUps = `filter=${encodeURIComponent('{"carrier_code":"ups","is_active":true}')}`;

/** Queries with `filter` and `raw_filters`, or with `raw_filters` twice: the text after `?`, and the answer. */
const combined: [given: string, query: string, answer: Verdict][] = [
  ['2 conditions in filter and 18 in raw_filters', `${isUps}&${asQuery(many(18))}`, 200],
  ['2 conditions in filter and 19 in raw_filters', `${isUps}&${asQuery(many(19))}`, refused('too_many')],
  [
    '2 brackets and 19 conditions in raw_filters',
    `filter[sort_order]=1&filter[version]=1&${asQuery(many(19))}`,
    refused('too_many'),
  ],
  ['raw_filters twice', 'raw_filters=[]&raw_filters=[]', refused('duplicate')],
];

answersExactly('the shape of raw_filters', [
  ...shapes.map(([given, value, answer]): BadInput => ({
    given,
    method: 'GET',
    path: `${methods}?${asQuery(value)}`,
    answer,
  })),
  ...combined.map(([given, query, answer]): BadInput => ({
    given,
    method: 'GET',
    path: `${methods}?${query}`,
    answer,
  })),
]);
