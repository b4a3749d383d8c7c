import { isDeepStrictEqual } from 'node:util';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { folded } from '../validation/text.js';
import { fieldOf, searchedFields, type SettableField, settableFields } from './method-fields.js';

/** What is stored of a method and can be changed. */
export type OwnValues = Pick<ShippingMethodDto, SettableField>;

/** The values of a request, or a method's; what is missing or null has its default. */
export function ownValuesOf(request: UpsertShippingMethodRequest): OwnValues {
  const own: Record<string, unknown> = {};
  for (const name of settableFields) own[name] = request[name] ?? fieldOf(name).default;
  return own as OwnValues;
}

/** What is stored of a method that is shown. */
export function storedValuesOf(method: ShippingMethodDto): OwnValues {
  return ownValuesOf({ ...method, ...method.own });
}

/**
 * What is stored after an update. While `use_default` stays on, an inherited value that comes back unchanged leaves the
 * own value alone: a form that sends what it loaded must not destroy what is stored.
 * @param current the method as a client sees it before the update
 */
export function patched(current: ShippingMethodDto, request: UpsertShippingMethodRequest): OwnValues {
  const staysDefault =
    current.use_default && (request.use_default === undefined || request.use_default === true);
  const keeps = (name: SettableField): boolean =>
    request[name] === undefined ||
    (staysDefault && name in current.own && isDeepStrictEqual(request[name], current[name]));
  const values: Record<string, unknown> = storedValuesOf(current);
  for (const name of settableFields) if (!keeps(name)) values[name] = request[name];
  return ownValuesOf(values as OwnValues);
}

/** What `search_text` holds: each searched text, case-folded, on a line of its own. */
export function searchText(own: OwnValues): string {
  return searchedFields.map((name) => folded(own[name] ?? '')).join('\n');
}
