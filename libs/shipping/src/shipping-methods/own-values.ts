import { isDeepStrictEqual } from 'node:util';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { fieldOf, type SettableField, settableFields } from './method-fields.js';

/** What is stored of a method and can be changed. */
export type OwnValues = Pick<ShippingMethodDto, SettableField>;

/** The values of a request, or a method's; what is missing or null has its default. */
export function ownValuesOf(request: Readonly<UpsertShippingMethodRequest>): OwnValues {
  return Object.fromEntries(
    settableFields.map((name) => [name, request[name] ?? fieldOf(name).default]),
  ) as OwnValues;
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
  const keeps = (field: SettableField): boolean =>
    request[field] === undefined ||
    (staysDefault &&
      presented.inherited.some((inherited) => inherited === field) &&
      isDeepStrictEqual(request[field], presented[field]));
  const sent = Object.fromEntries(
    settableFields.filter((field) => !keeps(field)).map((field) => [field, request[field]]),
  );
  return ownValuesOf({ ...before, ...sent });
}
