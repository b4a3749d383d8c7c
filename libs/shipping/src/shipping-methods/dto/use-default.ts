import { type FieldName, type InheritedField, inheritableFields } from '../method-fields.js';

/** The fields that a method inherits, in the form of the JSON: `true` is all of them, and `false` is none. */
export type UseDefault = boolean | InheritedField[];

/** @param names in any order */
export function useDefaultOf(names: readonly unknown[]): UseDefault {
  const fields = inheritableFields.filter((name) => names.includes(name));
  return fields.length === inheritableFields.length || (fields.length > 0 && fields);
}

/** @param useDefault as in a request or in a method */
export function fieldsOf(useDefault: boolean | readonly InheritedField[]): readonly InheritedField[] {
  if (typeof useDefault !== 'boolean') return useDefault;
  return useDefault ? inheritableFields : [];
}

/** Returns the value that a method shows for a field that it inherits. */
export function inheritedValue<Value>(name: FieldName, own: Value, ofDefault: Value): Value {
  // Either project can switch a method off, and neither can switch it on for the other.
  return name === 'is_active' ? own && ofDefault : (ofDefault ?? own);
}
