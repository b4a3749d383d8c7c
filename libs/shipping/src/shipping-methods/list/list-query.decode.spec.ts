import { describe, expect, it } from 'vitest';
import { InvalidParameterError, type Violation, Violations } from '../../validation/violations.js';
import { readListQuery } from './list-query.decode.js';
import { filterFields } from '../method-fields.js';

/** The text after `?`. The violations follow, if there are any. */
type Query = [search: string, ...violations: string[]];

function violationsOf(search: string): readonly Violation[] {
  const violations = new Violations();
  try {
    readListQuery(violations, search, 100);
    violations.throwIfAny();
  } catch (error) {
    if (error instanceof InvalidParameterError) return error.violations;
  }
  return [];
}

const encoded = (value: unknown): string =>
  encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
const filter = (value: unknown): string => `filter=${encoded(value)}`;
const raw = (value: unknown): string => `raw_filters=${encoded(value)}`;
const one = (field: unknown, op: unknown, value?: unknown): string => raw([{ field, op, value }]);
const levels = (count: number): string => '['.repeat(count) + ']'.repeat(count);
const times = (count: number, text: string): string => Array(count).fill(text).join('&');

const paging: Query[] = [
  [''],
  ['page=&per_page=&q=&filter=&raw_filters='],
  ['page=0', 'page range'],
  ['page=-1', 'page format'],
  ['page=1.5', 'page format'],
  ['page=1%20', 'page format'],
  ['page=1%0A', 'page format'],
  ['page=1%00', 'page format'],
  [`page=${encoded('１')}`, 'page format'],
  [`page=${'9'.repeat(500)}`, 'page range'],
  ['per_page=1'],
  ['per_page=100'],
  ['per_page=0', 'per_page range'],
  ['per_page=101', 'per_page range'],
  ['page=100001&per_page=1'],
  ['page=100002&per_page=1', 'page range'],
  ['page=5001'],
  ['page=5002', 'page range'],
  ['page=1&page=1', 'page duplicate'],
  ['page=&page=1', 'page duplicate'],
  ['sort=x&page[]=0&__proto__=1&constructor[prototype]=1&q[a]=1&limit=-1'],
  ['raw_filters[0][field]=id&raw_filters[]={}', 'raw_filters[0][field] unknown', 'raw_filters[] unknown'],
  ['perPage=5', 'perPage unknown'],
  ['per_page=5&per-pages=6', 'per-pages unknown'],
  ['Page=2&PAGES=3&Q=ups&qs=1', 'Page unknown', 'PAGES unknown', 'Q unknown', 'qs unknown'],
  ['filters={}&raw_filter=[]&rawFilters=', 'filters unknown', 'raw_filter unknown', 'rawFilters unknown'],
  ['filters[carrier_code]=ups&Filter%5Bid%5D=', 'filters[carrier_code] unknown', 'Filter[id] unknown'],
  ['s=1&ss=1&pager=1&perpagess=1&filtered=1&my_filter=1&_=1&query=1&raw=1&pagesize=1'],
  ['&&=&?&'],
];

const words: Query[] = [
  ['q=%20%09'],
  [`q=${encoded('🚚'.repeat(100))}`],
  [`q=${encoded('🚚'.repeat(101))}`, 'q length'],
  ['q=a%00b', 'q format'],
  ['q=100%&page=1'],
  ['q=%FF%C3%28'],
  ['q=%25_%5C'],
  ['q=a&q=b', 'q duplicate'],
];

const filters: Query[] = [
  [filter({})],
  [filter({ id: '01890000-0000-7000-8000-000000000000', is_active: true, sort_order: [1, -1] })],
  [filter({ carrier_code: ['ups', ''], created_at: '2026-01-31T09:30:00+09:00' })],
  [filter({ carrier_code: [] })],
  ['filter={', 'filter format'],
  ['filter=[]', 'filter type'],
  ['filter=null', 'filter type'],
  [`filter={"id":${levels(1_000)}}`, 'filter type'],
  [filter({ carrier: 'ups' }), 'filter unknown'],
  [filter({ meta: {} }), 'filter unknown'],
  ['filter={"__proto__":1}', 'filter unknown'],
  [filter({ carrier_label: null }), 'filter type'],
  [filter({ is_active: 'true' }), 'filter type'],
  [filter({ sort_order: '1' }), 'filter type'],
  [filter({ version: 2 ** 31 }), 'filter range'],
  ['filter={"sort_order":-1e400}', 'filter range'],
  [filter({ id: 'x' }), 'filter format'],
  [filter({ created_at: '2026-01-31' }), 'filter format'],
  [filter({ carrier_code: '\0' }), 'filter format'],
  [filter({ a: 1, b: 1, is_active: 0 }), 'filter unknown', 'filter unknown', 'filter type'],
  ['filter={}&filter={}', 'filter duplicate'],
  [filter({ version: Array(100).fill(1) })],
  [filter({ version: Array(101).fill(1) }), 'filter too_many'],
  [filter({ carrier_label: 'x'.repeat(4_096 - 20) })],
  [filter({ carrier_label: 'x'.repeat(4_097 - 20) }), 'filter too_large'],
];

const brackets: Query[] = [
  ['filter[carrier_code]=ups&filter[carrier_code]=dhl&filter[is_active]=true&filter[sort_order]=-1'],
  ['filter%5Bcarrier_code%5D=ups'],
  ['filter={}&filter[carrier_code]=ups', 'filter not_allowed'],
  ['filter=&filter[carrier_code]=ups'],
  ['filter[carrier_code]=', 'filter[carrier_code] required'],
  ['filter[]=ups', 'filter[] unknown'],
  ['filter[carrier]=ups', 'filter[carrier] unknown'],
  ['filter[__proto__]=ups', 'filter[__proto__] unknown'],
  ['filter[%0A]=ups', 'filter[\n] unknown'],
  [
    'filter[carrier]x=ups&filter[carrier=ups&xfilter[carrier]=ups',
    'filter[carrier]x unknown',
    'filter[carrier unknown',
  ],
  ['filter[carrier_code][]=ups', 'filter[carrier_code][] unknown'],
  [
    'filter[carrier_code][0]=ups&filter[carrier_code][1]=dhl',
    'filter[carrier_code][0] unknown',
    'filter[carrier_code][1] unknown',
  ],
  ['filter[is_active]=1', 'filter[is_active] type'],
  ['filter[version]=1e2', 'filter[version] type'],
  [`filter[sort_order]=-${'9'.repeat(500)}`, 'filter[sort_order] range'],
  ['filter[id]=x', 'filter[id] format'],
  ['filter[created_at]=2026-01-31T09:30:00+01:00', 'filter[created_at] format'],
  ['filter[carrier_code]=%00', 'filter[carrier_code] format'],
  [times(100, 'filter[version]=1')],
  [times(101, 'filter[version]=1'), 'filter[version] too_many'],
  [`filter[carrier_code]=${'x'.repeat(4_096)}`],
  [`filter[carrier_code]=${'x'.repeat(4_097)}`, 'filter[carrier_code] too_large'],
];

const is = { field: 'is_active', op: 'eq', value: true };
const many = (count: number): object[] => Array.from({ length: count }, () => is);
const isUps = filter({ carrier_code: 'ups', is_active: true });
const ofBytes = (count: number): string => {
  const rest = count - JSON.stringify([{ field: 'carrier_label', op: 'eq', value: '' }]).length;
  return one('carrier_label', 'eq', 'x'.repeat(rest % 4) + '🚚'.repeat(Math.floor(rest / 4)));
};

const shapes: Query[] = [
  ['raw_filters=[', 'raw_filters format'],
  ['raw_filters=null', 'raw_filters type'],
  [raw(levels(1_000)), 'raw_filters type'],
  [raw('['.repeat(2_000)), 'raw_filters format'],
  [raw([1, null, 'x', []]), ...Array<string>(4).fill('raw_filters type')],
  [raw([{}]), ...Array<string>(3).fill('raw_filters required')],
  [raw([{ ...is, not: true }]), 'raw_filters unknown'],
  [raw(JSON.stringify([is]).replace('}', ',"__proto__":1}')), 'raw_filters unknown'],
  [one('meta', 'eq', 1), 'raw_filters unknown'],
  [one('id" OR 1=1 --', 'eq', 'x'), 'raw_filters unknown'],
  [one('id', 'LIKE', '%'), 'raw_filters not_allowed'],
  [one('id', 'constructor', 'x'), 'raw_filters not_allowed'],
  [raw(Array(60).fill(1)), ...Array<string>(50).fill('raw_filters type')],
  [raw([{ or: [is, is] }])],
  [raw([{ or: [] }])],
  [raw([{ or: is }]), 'raw_filters type'],
  [raw([{ or: [{ or: [is] }] }]), 'raw_filters not_allowed'],
  [raw([{ or: [is], field: 'id' }]), 'raw_filters not_allowed'],
  [raw([{ or: [is, { ...is, value: 1 }] }]), 'raw_filters type'],
  [raw(many(20))],
  [raw(many(21)), 'raw_filters too_many'],
  [raw([...many(10), { or: many(10) }])],
  [raw([...many(10), { or: many(11) }]), 'raw_filters too_many'],
  [`${isUps}&${raw(many(18))}`],
  [`${isUps}&${raw(many(19))}`, 'raw_filters too_many'],
  [one('version', 'in', Array(100).fill(1))],
  [one('version', 'nin', Array(101).fill(1)), 'raw_filters too_many'],
  [ofBytes(4_096)],
  [ofBytes(4_097), 'raw_filters too_large'],
];

const values: Query[] = [
  [one('is_active', 'gt', true), 'raw_filters not_allowed'],
  [one('sort_order', 'contains', 1), 'raw_filters not_allowed'],
  [one('id', 'starts', '0'), 'raw_filters not_allowed'],
  [one('id', 'in', 'x'), 'raw_filters type'],
  [one('carrier_label', 'in', ['a', null]), 'raw_filters type'],
  [one('carrier_code', 'in', [1, true]), 'raw_filters type', 'raw_filters type'],
  [one('carrier_code', 'eq', ['ups']), 'raw_filters type'],
  [one('carrier_label', 'eq', null), 'raw_filters type'],
  [one('carrier_label', 'eq', '')],
  [one('carrier_label', 'contains', ''), 'raw_filters length'],
  [one('carrier_label', 'null', 'true'), 'raw_filters type'],
  [one('version', 'between', [1]), 'raw_filters length'],
  [one('version', 'between', [1, 2, 3]), 'raw_filters length'],
  [one('version', 'between', 1), 'raw_filters type'],
  [one('carrier_code', 'between', ['b', 'B']), 'raw_filters range'],
  [one('carrier_code', 'between', ['ﬀ', '𝒰'])],
  [one('carrier_code', 'ne', 3), 'raw_filters type'],
  [one('sort_order', 'gt', '1'), 'raw_filters type'],
  [raw('[{"field":"sort_order","op":"lt","value":1e400}]'), 'raw_filters range'],
  [one('carrier_label', 'contains', 'a\0'), 'raw_filters format'],
  [one('carrier_label', 'starts', '\uD800'), 'raw_filters format'],
  [one('id', 'eq', 'x'), 'raw_filters format'],
  [one('created_at', 'gte', '2026-01-31T09:30:00'), 'raw_filters format'],
  [one('created_at', 'gt', 1_700_000_000), 'raw_filters type'],
];

describe('the query of a list in a URL', () => {
  const queries = [...paging, ...words, ...filters, ...brackets, ...shapes, ...values];

  it.each(queries.map((query) => [query[0].slice(0, 100), query] as const))('%s', (_title, query) => {
    const [search, ...violations] = query;

    const found = violationsOf(search).map((each) => `${Object(each).parameter} ${each.code}`);

    expect(found).toEqual(violations);
  });

  it.each([
    ['perPage=5', 'perPage', 'per_page'],
    ['raw_filter=x', 'raw_filter', 'raw_filters'],
    ['filters[carrier_code]=ups', 'filters[carrier_code]', 'filter[carrier_code]'],
  ])('with %s is refused, and the violation tells the name of the parameter', (search, parameter, meant) => {
    expect(violationsOf(search)).toEqual([
      {
        parameter,
        code: 'unknown',
        detail: `${parameter} is not a parameter of the list. Did you mean ${meant}?`,
        allowed: ['page', 'per_page', 'q', 'filter', 'raw_filters'],
      },
    ]);
  });

  it('is refused for a second pair of brackets with the right form', () => {
    expect(violationsOf('filter[carrier_code][]=ups')).toEqual([
      {
        parameter: 'filter[carrier_code][]',
        code: 'unknown',
        detail: 'filter[carrier_code][] must be filter[carrier_code]=value. Repeat it for several values.',
      },
    ]);
  });

  it('is refused with what is allowed', () => {
    const allowed = (search: string): unknown => Object(violationsOf(search)[0]).allowed;

    expect(allowed('filter[x]=1')).toEqual(filterFields);
    expect(allowed(one('x', 'eq', 1))).toEqual(filterFields);
    expect(allowed(one('is_active', 'gt', true))).toEqual(['eq', 'ne', 'in', 'nin', 'null']);
    expect(allowed(raw([{ ...is, not: true }]))).toEqual(['field', 'op', 'value']);
  });
});
