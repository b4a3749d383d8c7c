import { type JsonObject } from '../../validation/json-object.js';
import { type InheritedField } from '../method-fields.js';

/** A shipping method as clients and your own modules see it, with inherited values. */
export interface ShippingMethodDto {
  /** UUIDv7; opaque to clients. */
  id: string;
  project_id: string;
  carrier_code: string;
  carrier_label: string | null;
  method_code: string;
  method_label: string;
  is_active: boolean;
  /** Lower first. */
  sort_order: number;
  meta: JsonObject;
  /** The fields that come from the default if there is one: true is all of them, false is none. */
  use_default: boolean | InheritedField[];
  /** The fields whose value now comes from the defaults project. */
  inherited: InheritedField[];
  /** The stored values of exactly the inherited fields. */
  own: Partial<Pick<ShippingMethodDto, InheritedField>>;
  /** Starts at 1 and grows by one with each change of a stored value. */
  version: number;
  /**
   * The entity-tag for `If-Match`, quotes included (AIP-154). It changes with each visible value, because it also names
   * the state of the default while the method inherits.
   */
  etag: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
}

/** One page of the list. */
export interface ShippingMethodPage {
  data: ShippingMethodDto[];
  meta: { page: number; per_page: number; total: number; total_pages: number };
}

/** One branch of the tree: a carrier and all its methods, in order. */
export interface ShippingCarrierDto {
  carrier_code: string;
  /** The label of the first method that has one. If none has a label, it is the code. */
  carrier_label: string;
  /** Whether any of the methods is active. */
  is_active: boolean;
  /** The smallest `sort_order` of the methods. */
  sort_order: number;
  methods: ShippingMethodDto[];
}

/** The carriers of a project with their methods, in list order. */
export interface ShippingTree {
  data: ShippingCarrierDto[];
}

/** A change of one method, with the method before and after it. */
export type ShippingMethodChange =
  | { type: 'created'; before: null; after: ShippingMethodDto }
  | { type: 'updated'; before: ShippingMethodDto; after: ShippingMethodDto }
  | { type: 'removed'; before: ShippingMethodDto; after: null };
