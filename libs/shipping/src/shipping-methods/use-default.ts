import { type SettableField } from './method-fields.js';

/** The fields that `use_default` can name, in the order in which responses list them. */
export const inheritableFields = [
  'carrier_label',
  'method_label',
  'sort_order',
  'meta',
  'is_active',
] as const satisfies SettableField[];

/** A field whose value can come from the defaults project. */
export type InheritableField = (typeof inheritableFields)[number];

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
