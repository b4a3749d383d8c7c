import { isDeepStrictEqual } from 'node:util';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import {
  methodDefaults,
  upsertFields,
  type UpsertShippingMethodRequest,
} from './dto/upsert-shipping-method.dto.js';

/** What is stored of a method and can be changed. */
export type OwnValues = Pick<ShippingMethodDto, (typeof upsertFields)[number]>;

/** The values of a request, or a method's; what is missing or null has its default. */
export function ownValuesOf(request: Readonly<UpsertShippingMethodRequest>): OwnValues {
  return {
    carrier_code: request.carrier_code,
    carrier_label: request.carrier_label ?? methodDefaults.carrier_label,
    method_code: request.method_code,
    method_label: request.method_label,
    is_active: request.is_active ?? methodDefaults.is_active,
    sort_order: request.sort_order ?? methodDefaults.sort_order,
    meta: request.meta ?? methodDefaults.meta,
    use_default: request.use_default ?? methodDefaults.use_default,
  };
}

/**
 * What is stored after an update. While `use_default` stays on, an inherited value that comes back as it was
 * presented leaves the own one alone: a form that sends what it loaded must not destroy what is stored.
 * @param presented the method as a client sees it before the update
 */
export function patched(
  before: OwnValues,
  request: Readonly<UpsertShippingMethodRequest>,
  presented: ShippingMethodDto,
): OwnValues {
  const staysDefault =
    before.use_default && (request.use_default === undefined || request.use_default === true);
  const keeps = (field: (typeof upsertFields)[number]): boolean =>
    request[field] === undefined ||
    (staysDefault &&
      presented.inherited.some((inherited) => inherited === field) &&
      isDeepStrictEqual(request[field], presented[field]));
  const sent = Object.fromEntries(
    upsertFields.filter((field) => !keeps(field)).map((field) => [field, request[field]]),
  );
  return ownValuesOf({ ...before, ...sent });
}
