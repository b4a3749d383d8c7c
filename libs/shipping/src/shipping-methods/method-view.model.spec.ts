import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Violations } from '../validation/violations.js';
import { type FilterOperator, kindOf, operatorsFor } from './list/list-query.dto.js';
import { type StoredMethod } from './effective-method.js';
import { checkListQuery } from './list/list-query.check.js';
import { type FilterField, filterFields } from './method-fields.js';
import { MethodView } from './method-view.js';
import { anyMethods, idOf, methodSet } from './stored-method.sample.js';

// The model makes the same lists and trees in a plain and slow way. It uses no index, no cache and no comparator of
// ours.

type Value = string | number | boolean;
interface Raw {
  field: FilterField;
  op: FilterOperator;
  value: Value | Value[];
}
interface Query {
  page: number;
  per_page: number;
  q: string;
  filter: Partial<Record<FilterField, Value | Value[]>>;
  raw_filters: (Raw | { or: Raw[] })[];
}

const values: Record<FilterField, readonly Value[]> = {
  id: [idOf(1), idOf(2).toUpperCase(), idOf(3), idOf(12)],
  carrier_code: ['ups', 'UPS', 'É', '\uFFFD', '𝒰', 'u'],
  method_code: ['ups', 'UPS', 'É', '\uFFFD', '𝒰', 'p'],
  carrier_label: ['Ground', 'gr', 'strasse', 'é', '%', '𝒰', '\uFFFD'],
  method_label: ['ground', 'OUND', 'ß', 'É', '50', 'ps', '\uFFFD'],
  is_active: [true, false],
  use_default: [true, false],
  sort_order: [-1, 0, 1, 9, 10],
  version: [1, 2, 3],
  created_at: ['2026-01-31T09:30:00.123Z', '2026-01-31T09:30:00.1235Z', '2026-01-31T10:30:00.124+01:00'],
  updated_at: ['2026-01-31T09:30:00.12300Z', '2026-01-31T09:30:00.1230001Z', '2026-02-01T00:00:00Z'],
};

const anyCondition: fc.Arbitrary<Raw> = fc.constantFrom(...filterFields).chain((field) =>
  fc.constantFrom(...operatorsFor(kindOf(field))).chain((op) => {
    const one = fc.constantFrom(...values[field]);
    const value: fc.Arbitrary<Value | Value[]> =
      op === 'null'
        ? fc.boolean()
        : op === 'between'
          ? fc.tuple(one, one).map((two) => two.toSorted((a, b) => order(field, a, b)))
          : /^n?in$/.test(op)
            ? fc.array(one, { maxLength: 3 })
            : one;
    return value.map((given) => ({ field, op, value: given }));
  }),
);
const anyFilter = fc
  .constantFrom(...filterFields)
  .chain((field) =>
    fc.array(fc.constantFrom(...values[field]), { maxLength: 3 }).map((given) => ({ [field]: given })),
  );
const anyQuery: fc.Arbitrary<Query> = fc.record({
  page: fc.constantFrom(1, 1, 1, 2, 3),
  per_page: fc.constantFrom(1, 2, 5, 100),
  q: fc.constantFrom('', '', '', 'ups', 'GROUND', 'strasse', 'u p', '%', 'É ups'),
  filter: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: anyFilter }),
  raw_filters: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: anyCondition },
      { weight: 1, arbitrary: fc.record({ or: fc.array(anyCondition, { maxLength: 3 }) }) },
    ),
    { maxLength: 2 },
  ),
});

/** A method with the values that it shows. */
function shown(method: StoredMethod, defaults: readonly StoredMethod[]): StoredMethod {
  const origin = defaults.find(
    (each) => each.carrier_code === method.carrier_code && each.method_code === method.method_code,
  );
  if (!method.use_default || !origin) return method;
  return {
    ...method,
    carrier_label: origin.carrier_label === null ? method.carrier_label : origin.carrier_label,
    method_label: origin.method_label,
    sort_order: origin.sort_order,
    meta: origin.meta,
  };
}

/** A text of UTF-32 sorts as its code points do. */
function utf32(text: string): string {
  return Array.from(text, (each) => each.codePointAt(0)?.toString(16).padStart(6, '0')).join('');
}

function inOrder(methods: readonly StoredMethod[]): StoredMethod[] {
  const key = ({ sort_order, carrier_code, method_code }: StoredMethod): string =>
    [String(sort_order + 100).padStart(9, '0'), utf32(carrier_code), utf32(method_code)].join(' ');
  return methods.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Nanoseconds since the beginning of January 2026. */
function nanoseconds(time: string): number {
  const decimals = /\.(\d+)/.exec(time)?.[1] ?? '';
  const seconds = Date.parse(time.replace(/\.\d+/, '')) - Date.parse('2026-01-01T00:00:00Z');
  return seconds * 1e6 + Number(decimals.padEnd(9, '0'));
}

function order(field: FilterField, a: Value, b: Value): number {
  if (field.endsWith('_at')) return nanoseconds(String(a)) - nanoseconds(String(b));
  if (typeof a === 'number') return a - Number(b);
  const [one, other] = field === 'id' ? [String(a).toLowerCase(), String(b).toLowerCase()] : [a, b];
  const [x, y] = [utf32(String(one)), utf32(String(other))];
  return x === y ? 0 : x < y ? -1 : 1;
}

/** This folding is enough for the texts above. */
function lower(text: string): string {
  return text.toLowerCase().replaceAll('ß', 'ss');
}

function holds(method: StoredMethod, { field, op, value }: Raw): boolean {
  const actual = method[field];
  if (op === 'null') return (actual === null) === value;
  const given = [value].flat();
  const isAny = actual !== null && given.some((each) => order(field, actual, each) === 0);
  if (op === 'eq' || op === 'in') return isAny;
  if (op === 'ne' || op === 'nin') return !isAny;
  if (actual === null) return false;
  const [first = '', second = ''] = given;
  if (op === 'contains') return lower(String(actual)).includes(lower(String(first)));
  if (op === 'starts') return lower(String(actual)).startsWith(lower(String(first)));
  if (op === 'between') return order(field, actual, first) >= 0 && order(field, actual, second) <= 0;
  const difference = order(field, actual, first);
  if (op === 'gt') return difference > 0;
  if (op === 'gte') return difference >= 0;
  if (op === 'lt') return difference < 0;
  return difference <= 0;
}

function listed(methods: readonly StoredMethod[], query: Query): { ids: string[]; total: number } {
  const { page, per_page: perPage, q, filter, raw_filters: conditions } = query;
  const found = inOrder(methods).filter((method) => {
    const texts = [method.carrier_code, method.carrier_label, method.method_code, method.method_label];
    const hasWords = q
      .split(' ')
      .every((word) => texts.some((text) => lower(text ?? '').includes(lower(word))));
    const isFiltered = filterFields.every((field) => {
      const value = filter[field];
      return value === undefined || holds(method, { field, op: 'in', value });
    });
    const holdsAll = conditions.every((condition) =>
      'or' in condition ? condition.or.some((each) => holds(method, each)) : holds(method, condition),
    );
    return hasWords && isFiltered && holdsAll;
  });
  const ids = found.filter((_, index) => Math.floor(index / perPage) === page - 1).map(({ id }) => id);
  return { ids, total: found.length };
}

function treeOf(methods: readonly StoredMethod[]): object[] {
  const carriers = [...new Set(methods.map((method) => method.carrier_code))];
  const branches = carriers.map((carrier_code) => {
    const ofCarrier = inOrder(methods.filter((method) => method.carrier_code === carrier_code));
    const label = ofCarrier.map((method) => method.carrier_label).find((each) => each !== null);
    return {
      carrier_code,
      carrier_label: label ?? carrier_code,
      is_active: ofCarrier.filter((method) => method.is_active).length > 0,
      sort_order: Math.min(...ofCarrier.map((method) => method.sort_order)),
      methods: ofCarrier.map(({ id }) => id),
    };
  });
  return branches.toSorted(
    (a, b) => a.sort_order - b.sort_order || (utf32(a.carrier_code) < utf32(b.carrier_code) ? -1 : 1),
  );
}

describe('a view and a plain model of it', () => {
  it('have the same lists and the same tree for any methods, defaults and queries', () => {
    let rows = 0;
    const property = fc.property(
      anyMethods,
      anyMethods,
      fc.array(anyQuery, { minLength: 10, maxLength: 10 }),
      (stored, defaultMethods, queries) => {
        const set = methodSet(stored);
        const defaults = methodSet(defaultMethods, 'default');
        const view = new MethodView(set, defaults);
        const methods = set.methods.map((method) => shown(method, defaults.methods));

        for (const query of queries) {
          const violations = new Violations();
          const checked = checkListQuery(violations, query, 100);
          violations.throwIfAny();
          const found = view.page(checked);
          const ids = found.methods.map(({ stored: { id } }) => id);
          rows += ids.length;
          expect({ ids, total: found.total }).toEqual(listed(methods, query));
        }
        const tree = view
          .tree()
          .map((branch) => ({ ...branch, methods: branch.methods.map(({ stored: { id } }) => id) }));
        expect(tree).toEqual(treeOf(methods));
      },
    );

    fc.assert(property, { seed: 11, numRuns: 200 });

    // If the queries found fewer rows, the test would show too little.
    expect(rows).toBeGreaterThan(800);
  });
});
