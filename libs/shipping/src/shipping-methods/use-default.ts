import { type InheritableField, inheritableFields } from './method-fields.js';

/** The fields that a method inherits, in the form of the JSON: `true` is all of them, and `false` is none. */
export type UseDefault = boolean | InheritableField[];

/** @param names in any order */
export function useDefaultOf(names: readonly unknown[]): UseDefault {
  const fields = inheritableFields.filter((name) => names.includes(name));
  return fields.length === inheritableFields.length || (fields.length > 0 && fields);
}

/** @param useDefault as in a request or in a method */
export function inheritedFieldsOf(
  useDefault: boolean | readonly InheritableField[],
): readonly InheritableField[] {
  if (typeof useDefault !== 'boolean') return useDefault;
  return useDefault ? inheritableFields : [];
}
