import { checkFields } from '../../validation/check-fields.js';
import { checkJsonObject } from '../../validation/json-object.js';
import { type ViolationCode, type Violations } from '../../validation/violations.js';
import { codesKey } from '../method-codes.js';
import { inheritableFields, type UseDefault, useDefaultOf } from '../use-default.js';
import {
  type ShippingMethodPatch,
  UpsertShippingMethodFields,
  type UpsertShippingMethodRequest,
} from './upsert-shipping-method.dto.js';

/**
 * Checks a request of unknown origin: JSON of a client, or an object of your own code. Nothing is coerced.
 * @param pointer the JSON pointer to the request in the body
 * @returns the checked request, its labels normalised; incomplete when there are violations
 */
export function checkUpsert(
  violations: Violations,
  input: unknown,
  pointer = '',
): UpsertShippingMethodRequest {
  return checkedRequest(violations, input, { pointer });
}

/** Checks the fields of an update by the service, in which each field may be missing. @see checkUpsert */
export function checkPatch(violations: Violations, input: unknown): ShippingMethodPatch {
  return checkedRequest(violations, input, { isPatch: true });
}

function checkedRequest(
  violations: Violations,
  input: unknown,
  { pointer = '', isPatch = false }: { pointer?: string; isPatch?: boolean },
): UpsertShippingMethodFields {
  const request = checkFields(violations, UpsertShippingMethodFields, input, {
    pointer,
    mayBeMissing: isPatch,
  });
  // JSON has −0. A database stores 0.
  if (Object.is(request.sort_order, -0)) request.sort_order = 0;
  const { meta, use_default } = Object(input) as UpsertShippingMethodRequest;
  if (meta !== undefined)
    request.meta = meta === null ? null : checkJsonObject(violations, `${pointer}/meta`, meta);
  if (use_default !== undefined)
    request.use_default =
      use_default === null ? null : checkUseDefault(violations, `${pointer}/use_default`, use_default);
  return request;
}

/** @returns the shortest form of the value; incomplete when there are violations */
function checkUseDefault(violations: Violations, pointer: string, value: unknown): UseDefault {
  if (typeof value === 'boolean') return value;
  const names: unknown[] = Array.isArray(value) ? value : [];
  const report = (code: ViolationCode, at: string, remedy: string): void =>
    void violations.at({ pointer: at })(code, `${at} ${remedy}`, inheritableFields);
  if (names !== value) report('type', pointer, 'must be true, false or an array of fields.');
  for (const [index, name] of names.entries()) {
    const at = `${pointer}/${index}`;
    if (typeof name !== 'string') report('type', at, 'must be the name of a field.');
    else if (!inheritableFields.some((each) => each === name))
      report('not_allowed', at, 'is not a field that can be inherited.');
    else if (names.indexOf(name) < index) report('duplicate', at, `is the field ${name} again.`);
  }
  return useDefaultOf(names);
}

/**
 * Checks a list of requests, in which each pair of codes may come once. Each pointer begins with an ordinal, from 0.
 */
export function checkUpserts(violations: Violations, input: unknown): UpsertShippingMethodRequest[] {
  const ordinals = new Map<string, number>();
  if (!Array.isArray(input)) return violations.at({ pointer: '' })('type', 'The requests must be an array.');
  return Array.from(input, (each: unknown, ordinal) => {
    const pointer = `/${ordinal}`;
    const ofRequest = violations.ofRequest(ordinal);
    const request = checkUpsert(ofRequest, each, pointer);
    // Two requests without codes are not duplicates of each other.
    if (![request.carrier_code, request.method_code].every((code) => typeof code === 'string'))
      return request;
    const codes = codesKey(request);
    const first = ordinals.get(codes);
    if (first === undefined) ordinals.set(codes, ordinal);
    else ofRequest.at({ pointer })('duplicate', `${pointer} has the same codes as /${first}.`);
    return request;
  });
}
