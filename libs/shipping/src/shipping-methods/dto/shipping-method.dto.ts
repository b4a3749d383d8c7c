import { type JsonObject } from '../../validation/json-object.js';
import { type InheritedField } from '../method-fields.js';

/** A shipping method with the values that it shows: on the wire, and to sibling modules. */
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
  use_default: boolean;
  /** The fields whose value now comes from the defaults project. */
  inherited: InheritedField[];
  /** The stored values of exactly the inherited fields. */
  own: Partial<Pick<ShippingMethodDto, InheritedField>>;
  /** Starts at 1 and grows by one with each real change of what is stored. */
  version: number;
  /**
   * The entity-tag for `If-Match`, quotes included (AIP-154). It changes whenever a shown value changes: while the method
   * inherits, it also names the state of the default.
   */
  etag: string;
  /** This and the next: ISO 8601, UTC, milliseconds. */
  created_at: string;
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
  /** The first label among its methods, else the code. */
  carrier_label: string;
  /** True if any of its methods is. */
  is_active: boolean;
  /** The smallest of its methods. */
  sort_order: number;
  methods: ShippingMethodDto[];
}

export interface ShippingTree {
  data: ShippingCarrierDto[];
}

/** A committed change of one method, with the values that it showed before and after. */
export type ShippingMethodChange =
  | { type: 'created'; before: null; after: ShippingMethodDto }
  | { type: 'updated'; before: ShippingMethodDto; after: ShippingMethodDto }
  | { type: 'deleted'; before: ShippingMethodDto; after: null };
