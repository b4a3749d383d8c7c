import { isDeepStrictEqual } from 'node:util';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { fieldOf, type SettableField, settableFields } from './method-fields.js';

/** The stored values that a client can change. */
export type StoredValues = Pick<ShippingMethodDto, SettableField>;

/** Returns the values that a create stores. A field that is missing or null gets its default. */
export function valuesToStore(request: UpsertShippingMethodRequest): StoredValues {
  const values: Record<string, unknown> = {};
  for (const name of settableFields) values[name] = request[name] ?? fieldOf(name).default;
  return values as StoredValues;
}

/**
 * Returns the request that stores the stored values of this method, not the inherited ones. Use it to copy a method
 * into another project, or to change one field and send the others as they are.
 */
export function upsertRequestOf(method: ShippingMethodDto): UpsertShippingMethodRequest {
  const stored: StoredValues = { ...method, ...method.own };
  const values = Object.fromEntries(settableFields.map((name) => [name, stored[name]])) as StoredValues;
  // The caller may modify `meta`, so it gets a copy.
  return structuredClone(values);
}

/**
 * Returns the values that an update stores. A form shows inherited values, and sends them back. So while `use_default`
 * stays on, a sent value that equals the inherited value is ignored, and the stored value stays.
 * @param current the method as a client sees it before the update
 */
export function patched(
  current: ShippingMethodDto,
  stored: StoredValues,
  request: UpsertShippingMethodRequest,
): StoredValues {
  const keepsUseDefault =
    current.use_default && (request.use_default === undefined || request.use_default === true);
  const keepsStoredValue = (name: SettableField): boolean =>
    request[name] === undefined ||
    (keepsUseDefault && name in current.own && isDeepStrictEqual(request[name], current[name]));
  const sent = settableFields.filter((name) => !keepsStoredValue(name)).map((name) => [name, request[name]]);
  return valuesToStore({ ...stored, ...Object.fromEntries(sent) });
}
