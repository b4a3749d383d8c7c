import { type FilterField } from '../method-fields.js';
import { type FilterOperator, type FilterValue } from './list-operators.js';

/** A condition of a list, which the matching methods fulfil. */
export interface RawFilter {
  field: FilterField;
  op: FilterOperator;
  /** A list for `in` and `nin`, two values in order for `between`, true or false for `null`. */
  value: FilterValue | readonly FilterValue[];
}

/** The query of a list. A method must match all of it. */
export interface ShippingMethodQuery {
  /** From 1, which is the default. `(page − 1) × per_page` must be at most 100,000. */
  page?: number | undefined;
  /** 1 to the module's `maxPageSize`, by default 20. */
  per_page?: number | undefined;
  /**
   * Words, at most 100 characters in all. Each word must be part of a searched field. Case and accents are ignored.
   */
  q?: string | undefined;
  /** Fields and the values that they must have. A list means "any of". */
  filter?: { readonly [Field in FilterField]?: FilterValue | readonly FilterValue[] | undefined } | undefined;
  /** Conditions, all of which must hold. A member may be a group, of which one condition must hold. */
  raw_filters?: readonly (RawFilter | { readonly or: readonly RawFilter[] })[] | undefined;
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
