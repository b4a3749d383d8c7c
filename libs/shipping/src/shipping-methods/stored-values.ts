import { isDeepStrictEqual } from 'node:util';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { fieldOf, type SettableField, settableFields } from './method-fields.js';

/** What is stored of a method and can be changed. */
export type StoredValues = Pick<ShippingMethodDto, SettableField>;

/** What a create stores: what is missing or null has its default. */
export function valuesToStore(request: UpsertShippingMethodRequest): StoredValues {
  const values: Record<string, unknown> = {};
  for (const name of settableFields) values[name] = request[name] ?? fieldOf(name).default;
  return values as StoredValues;
}

/**
 * What an update stores. While `use_default` stays on, an inherited value that comes back unchanged leaves the stored
 * value alone: a form that sends what it loaded must not destroy what is stored.
 * @param current the method as a client sees it before the update
 */
export function patched(
  current: ShippingMethodDto,
  stored: StoredValues,
  request: UpsertShippingMethodRequest,
): StoredValues {
  const staysDefault =
    current.use_default && (request.use_default === undefined || request.use_default === true);
  const keeps = (name: SettableField): boolean =>
    request[name] === undefined ||
    (staysDefault && name in current.own && isDeepStrictEqual(request[name], current[name]));
  const sent = settableFields.filter((name) => !keeps(name)).map((name) => [name, request[name]]);
  return valuesToStore({ ...stored, ...Object.fromEntries(sent) });
}
