import { type JsonObject, type JsonObjectInput } from '../../validation/json-object.js';
import { type InheritableField } from '../use-default.js';

/**
 * The members of `meta` in your application. Add yours, and `meta` has them in each method and each request. The
 * library does not check them, and the routes accept any object. So each member should be optional.
 * @example
 * declare module 'nestjs-shipping' {
 *   interface ShippingMethodMeta {
 *     max_weight_kg?: number;
 *   }
 * }
 */
export interface ShippingMethodMeta {}

/** `meta` as a method has it: {@link ShippingMethodMeta}, or any JSON object while that interface is empty. */
type MethodMeta = keyof ShippingMethodMeta extends never ? JsonObject : ShippingMethodMeta;

/** `meta` as a request may have it. @see {@link JsonObjectInput} */
export type MethodMetaInput<Meta extends object> = keyof ShippingMethodMeta extends never
  ? JsonObjectInput<Meta>
  : ShippingMethodMeta;

/** A shipping method as clients and your own modules see it, with inherited values. */
export interface ShippingMethodDto {
  /** UUIDv7; opaque to clients. */
  readonly id: string;
  /** The project that the method belongs to. */
  readonly project_id: string;
  /** Unique in the project, together with `method_code`. */
  readonly carrier_code: string;
  /** The name of the carrier for people. */
  readonly carrier_label: string | null;
  /** Unique in the project, together with `carrier_code`. */
  readonly method_code: string;
  /** The name of the method for people. */
  readonly method_label: string;
  /** Whether a checkout offers the method. */
  readonly is_active: boolean;
  /** The place in the list: lower numbers come first. */
  readonly sort_order: number;
  /** Data of your application: {@link ShippingMethodMeta}. */
  readonly meta: MethodMeta;
  /** The fields that come from the default if there is one: true is all of them, false is none. */
  readonly use_default: boolean | readonly InheritableField[];
  /** The fields whose value now comes from the defaults project. */
  readonly inherited: readonly InheritableField[];
  /** The stored values of exactly the inherited fields. */
  readonly own: Partial<Pick<ShippingMethodDto, InheritableField>>;
  /** Starts at 1 and grows by one with each change of a stored value. */
  readonly version: number;
  /**
   * The entity-tag for `If-Match`, quotes included (AIP-154). It changes with each visible value, because it also names
   * the state of the default while the method inherits.
   */
  readonly etag: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly updated_at: string;
}

/** One page of the list. */
export interface ShippingMethodPage {
  /** The methods of this page. */
  readonly data: readonly ShippingMethodDto[];
  /** Which page this is, and how many there are. */
  readonly meta: {
    readonly page: number;
    readonly per_page: number;
    /** How many methods match, on all pages. */
    readonly total: number;
    readonly total_pages: number;
  };
}

/** One branch of the tree: a carrier and all its methods, in order. */
export interface ShippingMethodTreeCarrier {
  readonly carrier_code: string;
  /** The label of the first method that has one. If none has a label, it is the code. */
  readonly carrier_label: string;
  /** Whether any of the methods is active. */
  readonly is_active: boolean;
  /** The smallest `sort_order` of the methods. */
  readonly sort_order: number;
  /** All methods of the carrier, inactive ones too. */
  readonly methods: readonly ShippingMethodDto[];
}

/** The carriers of a project with their methods, in list order. */
export interface ShippingMethodTree {
  /** One entry for each carrier. */
  readonly data: readonly ShippingMethodTreeCarrier[];
}

/**
 * A change of one method, with the values that it showed before and after. `before` is null for `'created'`, and `after`
 * is null for `'removed'`.
 * @example
 * const { method_label } = change.type === 'removed' ? change.before : change.after;
 */
export type ShippingMethodChange =
  | { readonly type: 'created'; readonly before: null; readonly after: ShippingMethodDto }
  | { readonly type: 'updated'; readonly before: ShippingMethodDto; readonly after: ShippingMethodDto }
  | { readonly type: 'removed'; readonly before: ShippingMethodDto; readonly after: null };
