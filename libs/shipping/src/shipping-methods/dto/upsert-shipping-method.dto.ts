import { Allow } from 'class-validator';
import { Code, Flag, Int32, Label, Required } from '../../validation/rules.js';
import { methodFields } from '../method-fields.js';
import { type InheritableField } from '../use-default.js';
import { type MethodMetaInput } from './shipping-method.dto.js';

const { carrier_code, carrier_label, method_code, method_label } = methodFields;

/** The fields of {@link UpsertShippingMethodRequest}, with their rules. */
export class UpsertShippingMethodFields<Meta extends object = object> {
  /** The code of the carrier, 1 to 64 characters. Case and accents count. */
  @Required()
  @Code(carrier_code.maxLength)
  carrier_code!: string;

  /** The name of the carrier for people, 1 to 255 characters. If a create leaves it out, it is null. */
  @Label(carrier_label.maxLength)
  carrier_label?: string | null | undefined;

  /** The code of the method, 1 to 128 characters, unique for the carrier in this project. Case and accents count. */
  @Required()
  @Code(method_code.maxLength)
  method_code!: string;

  /** The name of the method for people, 1 to 255 characters. */
  @Required()
  @Label(method_label.maxLength)
  method_label!: string;

  /** Whether a checkout offers the method. If a create leaves it out, it is true. */
  @Flag()
  is_active?: boolean | null | undefined;

  /** The place in the list: an integer of 32 bits, lower first. If a create leaves it out, it is 0. */
  @Int32()
  sort_order?: number | null | undefined;

  /**
   * Data of your application: at most 16 KiB of JSON, 8 levels deep. A new value replaces the whole object. Members that
   * are undefined are left out, and a Date is stored as its ISO text. `ShippingMethodMeta` gives it a type. If a create
   * leaves it out, it is `{}`.
   */
  @Allow()
  meta?: MethodMetaInput<Meta> | null | undefined;

  /**
   * The fields that are taken from the method with the same codes in the defaults project: true is all of them, false is
   * none. If a create leaves it out, it is false.
   */
  @Allow()
  use_default?: boolean | readonly InheritableField[] | null | undefined;
}

/** A stored method has these fields. So `{ ...method }` is no request, and `toUpsertRequest(method)` makes one. */
interface NotStored {
  /** Only a stored method has an id. A request must not have one. */
  readonly id?: never;
  /** Only a stored method has an etag. A request must not have one. */
  readonly etag?: never;
}

/**
 * The values that a create stores, with the names of the routes. An optional field that is null goes back to its
 * default. To send the values of a stored method, use `toUpsertRequest()`: a method itself has fields that a request
 * must not have.
 * @typeParam Meta the type of `meta`, while `ShippingMethodMeta` is empty
 * @example
 * const ground: UpsertShippingMethodRequest = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
 */
export type UpsertShippingMethodRequest<Meta extends object = object> = UpsertShippingMethodFields<Meta> &
  NotStored;

/**
 * The fields that `update` changes. A field that is left out or undefined keeps its value. An optional field that is
 * null goes back to its default.
 * @typeParam Meta the type of `meta`, while `ShippingMethodMeta` is empty
 */
export type ShippingMethodPatch<Meta extends object = object> = {
  [Name in keyof UpsertShippingMethodFields<Meta>]?: UpsertShippingMethodFields<Meta>[Name] | undefined;
} & NotStored;
