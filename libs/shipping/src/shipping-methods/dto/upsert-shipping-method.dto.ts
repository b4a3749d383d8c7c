import { Allow } from 'class-validator';
import { Code, Flag, Int32, Label, Required } from '../../validation/rules.js';
import { type InheritedField, methodFields } from '../method-fields.js';

const { carrier_code, carrier_label, method_code, method_label } = methodFields;

/**
 * The body of create and update, with the names of the API. An optional field that is null goes back to its
 * default. In an update, an optional field that is left out keeps its value.
 */
export class UpsertShippingMethodRequest {
  @Required()
  @Code(carrier_code.maxLength)
  carrier_code!: string;

  @Label(carrier_label.maxLength)
  carrier_label?: string | null;

  @Required()
  @Code(method_code.maxLength)
  method_code!: string;

  @Required()
  @Label(method_label.maxLength)
  method_label!: string;

  @Flag()
  is_active?: boolean | null;

  /** Lower first. */
  @Int32()
  sort_order?: number | null;

  /** The host's own data, replaced whole: at most 16 KiB of JSON, 8 levels deep. `checkUpsert` checks it. */
  @Allow()
  meta?: object | null;

  /**
   * The fields that are taken from the method with the same codes in the defaults project: true is all of them, false is
   * none. `checkUpsert` checks them.
   */
  @Allow()
  use_default?: boolean | readonly InheritedField[] | null;
}
