import { isDeepStrictEqual } from 'node:util';
import { v7 as uuid } from 'uuid';
import { isUuid } from '../validation/identifiers.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { type EffectiveMethod } from './effective-method.js';
import { type MethodView } from './method-view.js';
import {
  DuplicateMethodError,
  MethodNotFoundError,
  TooManyMethodsError,
  VersionMismatchError,
} from './shipping-methods.errors.js';
import { patched, type StoredValues, valuesToStore } from './stored-values.js';

// What a call changes is decided here, by nothing but the view of its project. A refusal is thrown.

/** One row to insert (nothing before), to update, or to delete (no values). */
export interface Change {
  id: string;
  before: EffectiveMethod | undefined;
  values: StoredValues | undefined;
}

/** @returns what to write; an empty list: nothing changes @throws the refusal of the call */
export type Decide = (view: MethodView) => Change[];

export function creation(request: UpsertShippingMethodRequest, maxMethods: number): Decide {
  const values = valuesToStore(request);
  return (view) => {
    const existing = view.byCodes(values.carrier_code, values.method_code);
    if (existing)
      throw new DuplicateMethodError(existing.stored.id, isDeepStrictEqual(existing.storedValues, values));
    return [insertion(view, values, maxMethods)];
  };
}

/** @param etags the update happens only while the method has one of these */
export function update(
  id: string,
  request: UpsertShippingMethodRequest,
  etags: readonly string[] | undefined,
): Decide {
  return (view) => patch(view, matching(view, id, etags), request);
}

/** @param etags the removal happens only while the method has one of these */
export function removal(id: string, etags: readonly string[] | undefined): Decide {
  return (view) => [{ id: id.toLowerCase(), before: matching(view, id, etags), values: undefined }];
}

/** Creates the method, or updates the one that has its codes. */
export function upsert(request: UpsertShippingMethodRequest, maxMethods: number): Decide {
  const values = valuesToStore(request);
  return (view) => {
    const existing = view.byCodes(values.carrier_code, values.method_code);
    return existing ? patch(view, existing, request) : [insertion(view, values, maxMethods)];
  };
}

function insertion(view: MethodView, values: StoredValues, maxMethods: number): Change {
  if (view.methods.length >= maxMethods) throw new TooManyMethodsError(maxMethods);
  return { id: uuid(), before: undefined, values };
}

function patch(view: MethodView, before: EffectiveMethod, request: UpsertShippingMethodRequest): Change[] {
  const stored = before.storedValues;
  const values = patched(before.dto, stored, request);
  if (isDeepStrictEqual(values, stored)) return [];
  const holder = view.byCodes(values.carrier_code, values.method_code);
  if (holder && holder !== before) throw new DuplicateMethodError(holder.stored.id);
  return [{ id: before.stored.id, before, values }];
}

/** @throws MethodNotFoundError, VersionMismatchError */
function matching(view: MethodView, id: string, etags: readonly string[] | undefined): EffectiveMethod {
  const current = isUuid(id) ? view.byId(id) : undefined;
  if (!current) throw new MethodNotFoundError();
  const { etag, stored } = current;
  const matches = !etags || etags.includes(etag) || etags.includes(`"${stored.version}"`);
  if (!matches) throw new VersionMismatchError(stored.version);
  return current;
}
