import { type FieldKind, fieldOf, type FilterField } from '../method-fields.js';

type FilterKind = Exclude<FieldKind, 'json'>;

interface Operator {
  /** A value, a part of a text (case-folded before it is compared), a list, a list of two in order, or true or false. */
  takes: 'value' | 'part' | 'list' | 'range' | 'flag';
  /** The kinds of field that it fits. */
  fits: readonly FilterKind[];
}

const texts = ['code', 'label'] as const;
const ordered = [...texts, 'id', 'integer', 'time'] as const;
const all = [...ordered, 'boolean'] as const;

export const operators = {
  eq: { takes: 'value', fits: all },
  ne: { takes: 'value', fits: all },
  in: { takes: 'list', fits: all },
  nin: { takes: 'list', fits: all },
  contains: { takes: 'part', fits: texts },
  starts: { takes: 'part', fits: texts },
  gt: { takes: 'value', fits: ordered },
  gte: { takes: 'value', fits: ordered },
  lt: { takes: 'value', fits: ordered },
  lte: { takes: 'value', fits: ordered },
  between: { takes: 'range', fits: ordered },
  null: { takes: 'flag', fits: all },
} as const satisfies Record<string, Operator>;

export type FilterOperator = keyof typeof operators;

export const operatorNames = Object.keys(operators) as FilterOperator[];

export function kindOf(field: FilterField): FilterKind {
  return fieldOf(field).kind as FilterKind;
}

export function operatorsFor(kind: FilterKind): FilterOperator[] {
  return operatorNames.filter((name) => operators[name].fits.some((fitting) => fitting === kind));
}

/** Times are RFC 3339 with an offset. */
export type FilterValue = string | number | boolean;

export interface RawFilter {
  field: FilterField;
  op: FilterOperator;
  /** A list for `in` and `nin`, two values in order for `between`, true or false for `null`. */
  value: FilterValue | readonly FilterValue[];
}

/** The query of a list. Everything is AND-ed. */
export interface ListShippingMethods {
  /** From 1 (the default); `(page − 1) × per_page` is at most 100,000. */
  page?: number;
  /** 1 to the module's `maxPageSize`, by default 20. */
  per_page?: number;
  /** Words. Each must be part of a searched field, whatever the case. At most 100 characters. */
  q?: string;
  /** Plain equality; a list means "any of". */
  filter?: Partial<Record<FilterField, FilterValue | readonly FilterValue[]>>;
  raw_filters?: readonly (RawFilter | { or: readonly RawFilter[] })[];
}

export const listLimits = {
  perPage: 20,
  offset: 100_000,
  /** Code points of `q`. */
  q: 100,
  /** Over `filter` and `raw_filters`, members of `or` counted. */
  conditions: 20,
  /** Of one condition. */
  values: 100,
  /** Of one parameter, decoded. */
  parameterBytes: 4096,
} as const;
