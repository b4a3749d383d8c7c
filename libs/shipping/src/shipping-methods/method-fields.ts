import { jsonRule } from '../validation/json-object.js';

/** The kind of a field decides how its values in filters are checked and compared, and how it is documented. */
export type FieldKind = 'id' | 'code' | 'label' | 'boolean' | 'integer' | 'json' | 'time';

interface MethodField {
  kind: FieldKind;
  /** The greatest length of a text, in code points. */
  maxLength?: number;
  /** `q` searches this field. */
  searched?: true;
  /** A client can set this field. */
  settable?: true;
  /**
   * The value when a create leaves the field out, or any request sends null. A settable field without it is required.
   */
  default?: unknown;
  nullable?: true;
  /** A sentence for the OpenAPI document, if the name and the kind do not say enough. */
  description?: string;
}

const code = {
  kind: 'code',
  searched: true,
  settable: true,
  description:
    'Visible characters of any script, with single spaces between them. The code does not begin with a combining mark, and is in Unicode NFC. The pattern checks only the ASCII characters. Codes are compared exactly, including case and accents.',
} as const;
const label = {
  kind: 'label',
  searched: true,
  maxLength: 255,
  settable: true,
  description:
    'The label is trimmed and put into Unicode NFC before its length is checked. It must have a visible character and no control characters.',
} as const;

/**
 * Every stored field of a shipping method except `project_id`, in the order of the JSON. Filters, the JSON
 * and the OpenAPI schemas come from this table. Validation takes only the lengths from it.
 */
export const methodFields = {
  id: { kind: 'id', description: 'Opaque.' },
  carrier_code: { ...code, maxLength: 64 },
  carrier_label: { ...label, default: null, nullable: true },
  method_code: { ...code, maxLength: 128 },
  method_label: label,
  is_active: {
    kind: 'boolean',
    settable: true,
    default: true,
    description: 'Whether a checkout offers the method.',
  },
  sort_order: { kind: 'integer', settable: true, default: 0, description: 'Lower first.' },
  meta: {
    kind: 'json',
    settable: true,
    default: {},
    description: `Data of the application. A new value replaces the whole object. ${jsonRule}`,
  },
  use_default: {
    kind: 'boolean',
    settable: true,
    default: false,
    description:
      'The fields that are taken from the method with the same codes in the defaults project. `true` is all of them, and `false` is none.',
  },
  version: { kind: 'integer', description: 'Grows by one with each change of a stored value.' },
  created_at: { kind: 'time' },
  updated_at: { kind: 'time' },
} as const satisfies Record<string, MethodField>;

export type FieldName = keyof typeof methodFields;

/** The names of the fields that have a property, for instance `settable`. */
type Having<Property> = {
  [Name in FieldName]: (typeof methodFields)[Name] extends Property ? Name : never;
}[FieldName];

export type SettableField = Having<{ settable: true }>;
type SearchedField = Having<{ searched: true }>;

/** The fields that a list can be filtered by: all but `meta`. */
export type FilterField = Exclude<FieldName, Having<{ kind: 'json' }>>;

export const fieldNames = Object.keys(methodFields) as FieldName[];

export function fieldOf(name: FieldName): MethodField {
  return methodFields[name];
}

export const settableFields = fieldNames.filter((name): name is SettableField => !!fieldOf(name).settable);
export const filterFields = fieldNames.filter((name): name is FilterField => fieldOf(name).kind !== 'json');

export const searchedFields = fieldNames.filter((name): name is SearchedField => !!fieldOf(name).searched);

/** @returns whether a create must send this field, because it has no default */
export function isRequired(name: SettableField): boolean {
  return fieldOf(name).default === undefined;
}
