import { isDeepStrictEqual } from 'node:util';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import {
  type ShippingMethodPatch,
  type UpsertShippingMethodRequest,
} from './dto/upsert-shipping-method.dto.js';
import {
  type FieldName,
  fieldOf,
  type InheritableField,
  inheritableFields,
  type SettableField,
  settableFields,
} from './method-fields.js';
import { inheritedFieldsOf, useDefaultOf } from './use-default.js';

/** The stored values that a client can change. */
export type StoredValues = Pick<ShippingMethodDto, SettableField>;

/** Returns the values that a create stores. A field that is missing or null gets its default. */
export function valuesToStore(request: UpsertShippingMethodRequest): StoredValues {
  const values: Record<string, unknown> = {};
  for (const name of settableFields) values[name] = request[name] ?? fieldOf(name).default;
  return values as StoredValues;
}

/** Returns the value that a method shows for a field that it inherits. */
export function inheritedValue<Value>(name: FieldName, own: Value, ofDefault: Value): Value {
  // Either project can switch a method off, and neither can switch it on for the other.
  return name === 'is_active' ? own && ofDefault : (ofDefault ?? own);
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
 * Returns the values that an update stores. A patch with `use_default` decides which fields are inherited. Without it,
 * a field stops inheriting if it could not show the value that was sent. The stored value of a field stays as it is if
 * the field already shows the value that was sent. A field that stops inheriting stores what it shows.
 * @param shown the values that clients see before the update
 * @param ofDefault the default with the codes after the update. It is needed only if the method inherits before the update.
 */
export function valuesAfterUpdate(
  stored: StoredValues,
  shown: StoredValues,
  patch: ShippingMethodPatch,
  ofDefault: StoredValues | undefined,
): StoredValues {
  const isSent = (name: SettableField): boolean => patch[name] !== undefined;
  const sentEntries = settableFields.filter(isSent).map((name) => [name, patch[name]]);
  const sent = valuesToStore({ ...stored, ...Object.fromEntries(sentEntries) });
  /** Tells whether a field that inherits shows the value that was sent, if these values are stored. */
  const showsSent = (name: InheritableField, values: StoredValues): boolean =>
    isDeepStrictEqual(
      ofDefault ? inheritedValue<unknown>(name, values[name], ofDefault[name]) : values[name],
      sent[name],
    );

  const inheritedBefore = inheritedFieldsOf(stored.use_default);
  const inherited = inheritedFieldsOf(sent.use_default).filter(
    (name) => isSent('use_default') || !isSent(name) || showsSent(name, sent),
  );
  const values: Record<string, unknown> = { ...sent, use_default: useDefaultOf(inherited) };
  for (const name of inheritableFields) {
    const isInherited = inherited.includes(name);
    if (!isSent(name) && !isInherited) values[name] = shown[name];
    if (isSent(name) && isInherited && inheritedBefore.includes(name) && showsSent(name, stored))
      values[name] = stored[name];
  }
  return values as StoredValues;
}
