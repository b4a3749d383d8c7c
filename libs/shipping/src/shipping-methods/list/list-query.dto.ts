import { type FieldKind, fieldOf, type FilterField } from '../method-fields.js';

type FilterKind = Exclude<FieldKind, 'json'>;

interface Operator {
  /**
   * The value that the operator takes. `part` is a part of a text, which is compared case-folded. `range` is a list of
   * two values in order, and `flag` is true or false.
   */
  takes: 'value' | 'part' | 'list' | 'range' | 'flag';
  /** The kinds of fields that the operator compares. */
  kinds: readonly FilterKind[];
}

const textKinds = ['code', 'label'] as const;
const orderedKinds = [...textKinds, 'id', 'integer', 'time'] as const;
const allKinds = [...orderedKinds, 'boolean'] as const;

export const operators = {
  eq: { takes: 'value', kinds: allKinds },
  ne: { takes: 'value', kinds: allKinds },
  in: { takes: 'list', kinds: allKinds },
  nin: { takes: 'list', kinds: allKinds },
  contains: { takes: 'part', kinds: textKinds },
  starts: { takes: 'part', kinds: textKinds },
  gt: { takes: 'value', kinds: orderedKinds },
  gte: { takes: 'value', kinds: orderedKinds },
  lt: { takes: 'value', kinds: orderedKinds },
  lte: { takes: 'value', kinds: orderedKinds },
  between: { takes: 'range', kinds: orderedKinds },
  null: { takes: 'flag', kinds: allKinds },
} as const satisfies Record<string, Operator>;

export type FilterOperator = keyof typeof operators;

export const operatorNames = Object.keys(operators) as FilterOperator[];

export function kindOf(field: FilterField): FilterKind {
  return fieldOf(field).kind as FilterKind;
}

export function operatorsFor(kind: FilterKind): FilterOperator[] {
  return operatorNames.filter((name) => operators[name].kinds.some((each) => each === kind));
}

/** Times are RFC 3339 with an offset. */
export type FilterValue = string | number | boolean;

export interface RawFilter {
  field: FilterField;
  op: FilterOperator;
  /** A list for `in` and `nin`, two values in order for `between`, true or false for `null`. */
  value: FilterValue | readonly FilterValue[];
}

/** The query of a list. A method must match all of it. */
export interface ShippingMethodQuery {
  /** From 1, which is the default. `(page − 1) × per_page` must be at most 100,000. */
  page?: number;
  /** 1 to the module's `maxPageSize`, by default 20. */
  per_page?: number;
  /** Words, at most 100 characters in all. Each word must be part of a searched field, in upper or lower case. */
  q?: string;
  /** Fields and the values that they must have. A list means "any of". */
  filter?: Partial<Record<FilterField, FilterValue | readonly FilterValue[]>>;
  raw_filters?: readonly (RawFilter | { or: readonly RawFilter[] })[];
}

export const listParameters: readonly string[] = [
  'page',
  'per_page',
  'q',
  'filter',
  'raw_filters',
] satisfies (keyof ShippingMethodQuery)[];

export const listLimits = {
  perPage: 20,
  offset: 100_000,
  /** The code points of `q`. */
  q: 100,
  /** The conditions of `filter` and `raw_filters` together, including the members of `or`. */
  conditions: 20,
  /** The values of one condition. */
  values: 100,
  /** The bytes of a decoded parameter, and of all values of one condition. */
  parameterBytes: 4096,
} as const;
