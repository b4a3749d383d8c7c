import { type FilterField } from '../method-fields.js';
import { type FilterOperator, type FilterValue } from './list-operators.js';

/**
 * A condition of a list, which the matching methods fulfil. `value` is an array for `in` and `nin`, two values in order
 * for `between`, true or false for `null`, and one value for the other operators.
 * @example
 * const first: FilterCondition = { field: 'sort_order', op: 'between', value: [1, 9] };
 */
export type FilterCondition = { readonly field: FilterField } & (
  | { readonly op: 'in' | 'nin'; readonly value: readonly FilterValue[] }
  | { readonly op: 'between'; readonly value: readonly [FilterValue, FilterValue] }
  | { readonly op: 'null'; readonly value: boolean }
  | { readonly op: Exclude<FilterOperator, 'in' | 'nin' | 'between' | 'null'>; readonly value: FilterValue }
);

/** The query of a list. A method must match all of it. */
export interface ShippingMethodQuery {
  /**
   * From 1. `(page − 1) × per_page` must be at most 100,000.
   * @default 1
   */
  page?: number | undefined;
  /**
   * 1 to the option `maxPageSize` of the module.
   * @default 20, or `maxPageSize` if it is smaller
   */
  per_page?: number | undefined;
  /**
   * Words, at most 100 characters in all. Each word must be a part of a code or a label of the method. Case and accents
   * are ignored.
   */
  q?: string | undefined;
  /** Fields and the values that they must have. An array means "any of". */
  filter?: { readonly [Field in FilterField]?: FilterValue | readonly FilterValue[] | undefined } | undefined;
  /**
   * Conditions, all of which must hold. Of a group `{ or: [...] }`, one condition must hold. `raw` never means SQL: the
   * name is that of the parameter of the route.
   */
  raw_filters?: readonly (FilterCondition | { readonly or: readonly FilterCondition[] })[] | undefined;
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
