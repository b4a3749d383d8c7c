/** What a list can be filtered by: fields of the method as it is presented. */
export const filterFields = {
  id: 'id',
  carrier_code: 'text',
  carrier_label: 'text',
  method_code: 'text',
  method_label: 'text',
  is_active: 'boolean',
  sort_order: 'integer',
  use_default: 'boolean',
  version: 'integer',
  created_at: 'time',
  updated_at: 'time',
} as const;

export type FilterField = keyof typeof filterFields;
export type FilterKind = (typeof filterFields)[FilterField];

const equality = ['eq', 'ne', 'in', 'nin'] as const;
const ordering = ['gt', 'gte', 'lt', 'lte', 'between'] as const;

/** Which operators fit which kind of field. */
export const filterOperators = {
  text: [...equality, 'contains', 'starts', ...ordering, 'null'],
  id: [...equality, ...ordering, 'null'],
  integer: [...equality, ...ordering, 'null'],
  time: [...equality, ...ordering, 'null'],
  boolean: [...equality, 'null'],
} as const satisfies Record<FilterKind, readonly string[]>;

export type FilterOperator = (typeof filterOperators)['text'][number];

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
  /** Words, each of which must stand, case aside, in one of the codes or labels; at most 100 characters. */
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
