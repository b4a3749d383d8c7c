import { type FilterOperator } from 'nestjs-shipping';
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

const equality = ['eq', 'ne', 'in', 'nin'];
const ordering = ['gt', 'gte', 'lt', 'lte', 'between'];
/** In the order of the documents. The type asks for all of them. */
const fitsTexts: Record<FilterOperator, true> = {
  eq: true,
  ne: true,
  in: true,
  nin: true,
  contains: true,
  starts: true,
  gt: true,
  gte: true,
  lt: true,
  lte: true,
  between: true,
  null: true,
};
const operators = Object.keys(fitsTexts);

/** A field of each kind, two of its values in ascending order, and its operators. */
const kinds: [field: string, first: unknown, second: unknown, fits: string[]][] = [
  ['carrier_label', 'a', 'b', operators],
  [
    'id',
    '01890000-0000-7000-8000-000000000000',
    '01890000-0000-7000-8000-000000000001',
    [...equality, ...ordering, 'null'],
  ],
  ['sort_order', -1, 1, [...equality, ...ordering, 'null']],
  [
    'created_at',
    '2026-01-31T10:00:00+02:00',
    '2026-01-31T09:00:00.123456789Z',
    [...equality, ...ordering, 'null'],
  ],
  ['is_active', false, true, [...equality, 'null']],
];

const everyOperator = kinds.flatMap(([field, first, second, fits]) =>
  operators.map((op): RawFilters => {
    const isList = op === 'in' || op === 'nin' || op === 'between';
    const value = op === 'null' ? true : isList ? [first, second] : first;
    const answer = fits.includes(op) ? 200 : { ...violating('raw_filters not_allowed'), allowed: fits };
    return [`${op} on ${field}`, [{ field, op, value }], answer];
  }),
);

const refused = (...codes: string[]): Refusal => violating(...codes.map((code) => `raw_filters ${code}`));
const one = (field: unknown, op: unknown, value?: unknown): unknown[] => [{ field, op, value }];
const at = (time: string): unknown[] => one('created_at', 'gte', time);

const values: RawFilters[] = [
  ['in with no list', one('id', 'in', 'x'), refused('type')],
  ['in with an empty list', one('id', 'in', []), 200],
  ['nin with an empty list', one('id', 'nin', []), 200],
  ['in with null among the values', one('carrier_label', 'in', ['a', null]), refused('type')],
  ['eq with a list', one('carrier_code', 'eq', ['ups']), refused('type')],
  ['eq with null', one('carrier_label', 'eq', null), refused('type')],
  ['eq with an object', one('carrier_code', 'eq', {}), refused('type')],
  ['eq with an empty text', one('carrier_label', 'eq', ''), 200],
  ['contains with an empty text', one('carrier_label', 'contains', ''), refused('length')],
  ['starts with an empty text', one('method_code', 'starts', ''), refused('length')],
  ['null with null', one('carrier_label', 'null', null), refused('type')],
  ['null with "true"', one('carrier_label', 'null', 'true'), refused('type')],
  ['null with 1', one('carrier_label', 'null', 1), refused('type')],
  ['null with a list', one('carrier_label', 'null', [true]), refused('type')],
  ['between with one value', one('version', 'between', [1]), refused('length')],
  ['between with three values', one('version', 'between', [1, 2, 3]), refused('length')],
  ['between with no list', one('version', 'between', 1), refused('type')],
  ['between with the same value twice', one('version', 'between', [1, 1]), 200],
  ['between with numbers out of order', one('version', 'between', [10, 9]), refused('range')],
  ['between with texts out of order', one('carrier_code', 'between', ['b', 'B']), refused('range')],
  ['between with astral after other letters', one('carrier_code', 'between', ['ﬀ', '𝒰']), 200],
  [
    'between with times out of order',
    one('created_at', 'between', ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00+01:00']),
    refused('range'),
  ],
  ['a number for a text', one('carrier_code', 'ne', 3), refused('type')],
  ['two values of a wrong type', one('carrier_code', 'in', [1, true]), refused('type', 'type')],
  ['a text for a boolean', one('is_active', 'eq', 'true'), refused('type')],
  ['a text for an integer', one('sort_order', 'gt', '1'), refused('type')],
  ['1.5 for an integer', one('sort_order', 'lt', 1.5), refused('type')],
  ['2147483648 for an integer', one('sort_order', 'lte', 2_147_483_648), refused('range')],
  ['1e400 for an integer', '[{"field":"sort_order","op":"lt","value":1e400}]', refused('range')],
  ['a NUL in a text', one('carrier_label', 'contains', 'a\0'), refused('format')],
  ['a lone surrogate in a text', one('carrier_label', 'starts', '\uD800'), refused('format')],
  ['an id that is not a UUID', one('id', 'eq', 'x'), refused('format')],
  ['an id with a NUL', one('id', 'ne', '01890000-0000-7000-8000-00000000000\0'), refused('format')],
  ['a time in lower case', at('2026-01-31t09:30:00.5z'), 200],
  ['a time without an offset', at('2026-01-31T09:30:00'), refused('format')],
  ['a time without seconds', at('2026-01-31T09:30Z'), refused('format')],
  ['a day only', at('2026-01-31'), refused('format')],
  ['the 30th of February', at('2026-02-30T00:00:00Z'), refused('format')],
  ['the 29th of February in a common year', at('2026-02-29T00:00:00Z'), refused('format')],
  ['the 29th of February in a leap year', at('2028-02-29T00:00:00Z'), 200],
  ['month 13', at('2026-13-01T00:00:00Z'), refused('format')],
  ['hour 24', at('2026-01-31T24:00:00Z'), refused('format')],
  ['an offset of 24 hours', at('2026-01-31T00:00:00+24:00'), refused('format')],
  ['a year of six digits', at('+012026-01-31T00:00:00Z'), refused('format')],
  ['infinity as a time', at('infinity'), refused('format')],
  ['now as a time', at('now'), refused('format')],
  ['a number as a time', one('created_at', 'gt', 1_700_000_000), refused('type')],
];

const asQuery = (value: unknown): string =>
  `raw_filters=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`;

answersExactly(
  'operators and values of raw_filters',
  [...everyOperator, ...values].map(([given, value, answer]): BadInput => ({
    given,
    method: 'GET',
    path: `${methods}?${asQuery(value)}`,
    answer,
  })),
);
