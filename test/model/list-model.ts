import { type FilterOperator } from 'nestjs-shipping';
import { byCodePoints } from '../support/order.js';
import { type Shown } from './contract-model.js';

export type Value = string | number | boolean;
export interface Condition {
  field: 'id' | Exclude<keyof Shown, 'inherited' | 'own' | 'meta' | 'project_id'>;
  op: FilterOperator;
  value: Value | Value[];
}
export interface Query {
  page?: number;
  per_page?: number;
  q?: string;
  filter?: Record<string, Value | Value[]>;
  raw_filters?: (Condition | { or: Condition[] })[];
}

/** A method as the conditions of a list see it: `use_default` is true if the method inherits anything. */
type Filtered = Omit<Shown, 'use_default'> & { use_default: boolean };

/** The response of a list of these methods. */
export function listed(methods: readonly Shown[], query: Query): object {
  const { page = 1, per_page: perPage = 20 } = query;
  const found = inOrder(
    methods.filter((method) => matches({ ...method, use_default: method.use_default !== false }, query)),
  );
  const meta = {
    page,
    per_page: perPage,
    total: found.length,
    total_pages: Math.ceil(found.length / perPage),
  };
  return { data: found.slice((page - 1) * perPage, page * perPage), meta };
}

/** The response of a tree of these methods. */
export function treeOf(methods: readonly Shown[]): object {
  const carriers = new Map<string, Shown[]>();
  for (const method of inOrder(methods)) {
    carriers.set(method.carrier_code, [...(carriers.get(method.carrier_code) ?? []), method]);
  }
  const data = Array.from(carriers, ([carrier_code, own]) => ({
    carrier_code,
    carrier_label: own.find(({ carrier_label }) => carrier_label !== null)?.carrier_label ?? carrier_code,
    is_active: own.some(({ is_active }) => is_active),
    sort_order: Math.min(...own.map(({ sort_order }) => sort_order)),
    methods: own,
  }));
  return {
    data: data.toSorted(
      (a, b) => a.sort_order - b.sort_order || byCodePoints(a.carrier_code, b.carrier_code),
    ),
  };
}

/** The order of every list. */
export function inOrder(methods: readonly Shown[]): Shown[] {
  return methods.toSorted(
    (a, b) =>
      a.sort_order - b.sort_order ||
      byCodePoints(a.carrier_code, b.carrier_code) ||
      byCodePoints(a.method_code, b.method_code),
  );
}

function matches(method: Filtered, { q = '', filter = {}, raw_filters: rawFilters = [] }: Query): boolean {
  const texts = [method.carrier_code, method.carrier_label ?? '', method.method_code, method.method_label];
  const words = q.split(/\s+/u).filter((word) => word !== '');
  return (
    words.every((word) => texts.some((text) => plain(text).includes(plain(word)))) &&
    Object.entries(filter).every(([field, value]) => {
      const [, actual] = Object.entries(method).find(([name]) => name === field) ?? [];
      return [value].flat().some((wanted) => asStored(field, wanted) === actual);
    }) &&
    rawFilters.every((one) => ('or' in one ? one.or.some((part) => holds(method, part)) : holds(method, one)))
  );
}

/**
 * Case is ignored character by character, so `ς` is `Σ`, and `ß` is `SS` and `ẞ`. Accents are removed. Some letters
 * have a stroke that is part of them.
 */
function plain(text: string): string {
  const each = (given: string, change: (one: string) => string): string => Array.from(given, change).join('');
  const small = each(text.normalize('NFC'), (one) => one.toLowerCase());
  const large = each(small, (one) => one.toUpperCase());
  const lower = each(large, (one) => one.toLowerCase()).normalize('NFD');
  const strokes: Record<string, string> = { ł: 'l', đ: 'd', ø: 'o', ς: 'σ' };
  return each(lower.replace(/[\u0300-\u036F]/g, ''), (one) => strokes[one] ?? one).normalize('NFC');
}

/** How an operator compares a value that is not null. */
interface Compared {
  actual: Value;
  values: Value[];
  /** The value and the first one, without case and accents. */
  texts: [actual: string, part: string];
  /** Below 0 if the value comes before the given one. */
  order: (place: number) => number;
}

/** Every operator of the contract: one that the library adds does not compile here until it is described. */
export const operators: Record<
  Exclude<FilterOperator, 'null' | 'ne' | 'nin'>,
  (given: Compared) => boolean
> = {
  eq: ({ actual, values }) => values.includes(actual),
  in: ({ actual, values }) => values.includes(actual),
  contains: ({ texts: [actual, part] }) => actual.includes(part),
  starts: ({ texts: [actual, part] }) => actual.startsWith(part),
  gt: ({ order }) => order(0) > 0,
  gte: ({ order }) => order(0) >= 0,
  lt: ({ order }) => order(0) < 0,
  lte: ({ order }) => order(0) <= 0,
  between: ({ order }) => order(0) >= 0 && order(1) <= 0,
};

function holds(method: Filtered, { field, op, value }: Condition): boolean {
  const actual = method[field];
  const values = [value].flat().map((given) => asStored(field, given));
  if (op === 'null') return (actual === null) === value;
  if (op === 'ne' || op === 'nin') return actual === null || !values.includes(actual);
  if (actual === null) return false;
  return operators[op]({
    actual,
    values,
    texts: [plain(String(actual)), plain(String(values[0]))],
    order: (place) => compared(field, actual, values[place] ?? ''),
  });
}

export function compared(field: Condition['field'], a: Value, b: Value): number {
  if (field.endsWith('_at')) return Date.parse(String(a)) - Date.parse(String(b));
  return typeof a === 'number'
    ? a - Number(b)
    : byCodePoints(String(asStored(field, a)), String(asStored(field, b)));
}

/** Labels are stored in NFC, so a label that is asked for is meant in NFC; codes are compared as they are. */
function asStored(field: string, value: Value): Value {
  return field.endsWith('_label') ? String(value).normalize('NFC') : value;
}
