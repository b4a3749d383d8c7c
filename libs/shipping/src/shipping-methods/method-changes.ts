import { isDeepStrictEqual } from 'node:util';
import { v7 as uuid } from 'uuid';
import {
  type ShippingMethodPatch,
  type UpsertShippingMethodRequest,
} from './dto/upsert-shipping-method.dto.js';
import { type EffectiveMethod, storedValuesOf } from './effective-method.js';
import { type ShippingMethodCodes, codesKey } from './method-codes.js';
import { type ChangeMethodOptions, type UpsertManyOptions } from './method-options.js';
import { type MethodView } from './method-view.js';
import {
  DuplicateMethodError,
  MethodNotFoundError,
  TooManyMethodsError,
  TooManyRemovalsError,
  VersionMismatchError,
} from './shipping-methods.errors.js';
import { valuesAfterUpdate, type StoredValues, valuesToStore } from './stored-values.js';

// These functions decide what a call changes, and throw the errors of the call. They read only the view of the project
// and, for an update to new codes, the defaults.

/** A row to insert, to update or to remove. */
export type RowWrite =
  | { kind: 'insert'; id: string; values: StoredValues }
  | { kind: 'update'; id: string; values: StoredValues }
  | { kind: 'remove'; id: string };

export interface Decide {
  /**
   * Returns what to write. The list is empty when nothing changes.
   * @param defaults the defaults project, if `needsDefaults` says so
   * @throws the error of the call
   */
  (view: MethodView, defaults?: MethodView): RowWrite[];
  /** A view has only the defaults of its methods. This function tells whether the decision needs other ones. */
  needsDefaults?: (view: MethodView) => boolean;
}

export function decideCreate(request: UpsertShippingMethodRequest, maxMethods: number): Decide {
  const values = valuesToStore(request);
  return (view) => {
    const existing = view.byCodes(values.carrier_code, values.method_code);
    if (existing)
      throw new DuplicateMethodError(
        existing.stored.id,
        isDeepStrictEqual(storedValuesOf(existing.stored), values),
      );
    const writes = [insertOf(values)];
    refuseTooMany(view, writes, maxMethods);
    return writes;
  };
}

type Precondition = Pick<ChangeMethodOptions, 'etag'>;

export function decideUpdate(id: string, patch: ShippingMethodPatch, precondition: Precondition): Decide {
  const decide: Decide = (view, defaults) =>
    updateOf(view, methodToChange(view, id, precondition), patch, defaults);
  decide.needsDefaults = (view) => {
    const method = view.byId(id);
    if (!method || !view.inherits) return false;
    const { carrier_code, method_code } = codesAfter(method.stored, patch);
    return !view.byCodes(carrier_code, method_code);
  };
  return decide;
}

/** Returns the codes that a method has after an update. */
function codesAfter(stored: ShippingMethodCodes, patch: ShippingMethodPatch): ShippingMethodCodes {
  const { carrier_code = stored.carrier_code, method_code = stored.method_code } = patch;
  return { carrier_code, method_code };
}

export function decideRemove(id: string, precondition: Precondition): Decide {
  return (view) => [removalOf(methodToChange(view, id, precondition))];
}

/**
 * Updates the methods that have the codes of the requests, and creates the others. With `removeOthers`, it removes the
 * methods that no request names.
 * @throws TooManyMethodsError, TooManyRemovalsError, for the whole call
 */
export function decideUpsert(
  requests: readonly UpsertShippingMethodRequest[],
  { maxMethods, removeOthers = false, maxRemoved }: UpsertManyOptions & { maxMethods: number },
): Decide {
  return (view) => {
    const otherMethods = new Map(view.methods.map((method) => [codesKey(method.stored), method]));
    const writes = requests.flatMap((request) => {
      const existing = otherMethods.get(codesKey(request));
      otherMethods.delete(codesKey(request));
      return existing ? updateOf(view, existing, request) : insertOf(valuesToStore(request));
    });
    if (removeOthers) {
      const isEmpty = requests.length === 0;
      if (isEmpty || (maxRemoved !== undefined && otherMethods.size > maxRemoved))
        throw new TooManyRemovalsError(otherMethods.size, isEmpty ? undefined : maxRemoved);
      writes.push(...Array.from(otherMethods.values(), removalOf));
    }
    refuseTooMany(view, writes, maxMethods);
    return writes;
  };
}

/**
 * Creates a method for each default whose codes the project lacks. It stores the values of the default, and inherits all
 * of them. It stores `is_active: true`, because the project itself has switched nothing off.
 */
export function decideAdopt(maxMethods: number): Decide {
  const decide: Decide = (view, defaults = view) => {
    const existingCodes = new Set(view.methods.map(({ stored }) => codesKey(stored)));
    const missing = defaults.methods.filter(({ stored }) => !existingCodes.has(codesKey(stored)));
    const writes = missing.map((method) =>
      insertOf({ ...storedValuesOf(method.stored), is_active: true, use_default: true }),
    );
    refuseTooMany(view, writes, maxMethods);
    return writes;
  };
  decide.needsDefaults = () => true;
  return decide;
}

export const decideRemoveAll: Decide = (view) => view.methods.map(removalOf);

function insertOf(values: StoredValues): RowWrite {
  return { kind: 'insert', id: uuid(), values };
}

function removalOf({ stored }: EffectiveMethod): RowWrite {
  return { kind: 'remove', id: stored.id };
}

/** @throws TooManyMethodsError when methods are inserted, and the project would then have too many */
function refuseTooMany(view: MethodView, writes: readonly RowWrite[], maxMethods: number): void {
  const added = writes.filter(({ kind }) => kind === 'insert').length;
  const removed = writes.filter(({ kind }) => kind === 'remove').length;
  if (added > 0 && view.methods.length + added - removed > maxMethods)
    throw new TooManyMethodsError(maxMethods);
}

/**
 * Returns nothing to write when the patch changes no stored value.
 * @throws DuplicateMethodError when another method has the codes of the patch
 */
function updateOf(
  view: MethodView,
  before: EffectiveMethod,
  patch: ShippingMethodPatch,
  defaults?: MethodView,
): RowWrite[] {
  const stored = storedValuesOf(before.stored);
  const codes = codesAfter(stored, patch);
  const keepsCodes = codesKey(codes) === codesKey(stored);
  const ofDefault = keepsCodes
    ? before.inheritedFrom
    : defaults?.byCodes(codes.carrier_code, codes.method_code)?.stored;
  const values = valuesAfterUpdate(
    stored,
    before.toDto(),
    patch,
    ofDefault ? storedValuesOf(ofDefault) : undefined,
  );
  if (isDeepStrictEqual(values, stored)) return [];
  if (!keepsCodes) {
    const methodWithCodes = view.byCodes(values.carrier_code, values.method_code);
    if (methodWithCodes) throw new DuplicateMethodError(methodWithCodes.stored.id);
  }
  return [{ kind: 'update', id: before.stored.id, values }];
}

/** @throws MethodNotFoundError, VersionMismatchError */
function methodToChange(view: MethodView, id: string, { etag }: Precondition): EffectiveMethod {
  const current = view.byId(id);
  if (!current) throw new MethodNotFoundError();
  const { stored } = current;
  const allowed = etag === undefined ? undefined : [etag].flat();
  const matches = !allowed || allowed.includes(current.etag) || allowed.includes(`"${stored.version}"`);
  if (!matches) throw new VersionMismatchError(stored.version, stored.id);
  return current;
}
