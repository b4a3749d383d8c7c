import { isDeepStrictEqual } from 'node:util';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import {
  type ShippingMethodPatch,
  type UpsertShippingMethodRequest,
} from './dto/upsert-shipping-method.dto.js';
import { type FieldName, fieldOf, type SettableField, settableFields } from './method-fields.js';
import { type InheritableField, inheritableFields, inheritedFieldsOf, useDefaultOf } from './use-default.js';

/** The stored values that a client can change. */
export type StoredValues = Pick<ShippingMethodDto, SettableField>;

/** Returns the values that a create stores. A field that is missing or null gets its default. */
export function valuesToStore(request: UpsertShippingMethodRequest): StoredValues {
  const values: Record<string, unknown> = {};
  for (const name of settableFields) values[name] = request[name] ?? fieldOf(name).default;
  return values as StoredValues;
}

/** Returns the value that a method shows for a field that it inherits. */
export function inheritedValue<Value>(name: FieldName, stored: Value, ofDefault: Value): Value {
  // Either project can switch a method off, and neither can switch it on for the other.
  return name === 'is_active' ? stored && ofDefault : (ofDefault ?? stored);
}

/**
 * Returns the request that stores the stored values of this method, not the inherited ones. Use it to copy a method
 * into another project, or to change one field and send the others as they are.
 * @example
 * await methods.upsert('acme-outlet', toUpsertRequest(method));
 */
export function toUpsertRequest(method: ShippingMethodDto): UpsertShippingMethodRequest {
  const stored: StoredValues = { ...method, ...method.own };
  const values = Object.fromEntries(settableFields.map((name) => [name, stored[name]])) as StoredValues;
  // The caller may modify `meta`, so it gets a copy.
  return structuredClone(values);
}

/**
 * Returns the values that an update stores. A patch with `use_default` decides which fields are inherited. Without it, a
 * field stops inheriting only if it could not show the value that was sent, such as a label that the default does not
 * have. A field that stops inheriting stores what it shows.
 * @param shown the values that clients see before the update
 * @param ofDefault the default with the codes after the update; needed only if the method inherits before the update
 */
export function valuesAfterUpdate(
  stored: StoredValues,
  shown: StoredValues,
  patch: ShippingMethodPatch,
  ofDefault: StoredValues | undefined,
): StoredValues {
  const isSent = (name: SettableField): boolean => patch[name] !== undefined;
  const sentEntries = settableFields.filter(isSent).map((name) => [name, patch[name]]);
  const patched = valuesToStore({ ...stored, ...Object.fromEntries(sentEntries) });
  /** Tells whether a field that inherits, and stores this value, shows the value that was sent. */
  const showsSent = (name: InheritableField, value: unknown): boolean =>
    isDeepStrictEqual(ofDefault ? inheritedValue(name, value, ofDefault[name]) : value, patched[name]);

  const inheritedBefore = inheritedFieldsOf(stored.use_default);
  const inherited = inheritedFieldsOf(patched.use_default).filter(
    (name) => isSent('use_default') || !isSent(name) || showsSent(name, patched[name]),
  );
  const valueToStore = (name: InheritableField): unknown => {
    if (!inherited.includes(name)) return isSent(name) ? patched[name] : shown[name];
    // The field already shows the value that was sent, so its stored value stays.
    if (inheritedBefore.includes(name) && showsSent(name, stored[name])) return stored[name];
    return patched[name];
  };
  const values = Object.fromEntries(inheritableFields.map((name) => [name, valueToStore(name)]));
  return { ...patched, ...values, use_default: useDefaultOf(inherited) };
}
