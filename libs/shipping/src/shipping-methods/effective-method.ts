import { byCodePoint, folded } from '../validation/text.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import {
  type FieldName,
  inheritedFields,
  searchedFields,
  type SettableField,
  settableFields,
} from './method-fields.js';
import { type StoredValues } from './stored-values.js';

/** A method as it is stored. Most methods are read without a look into their `meta`, so it stays JSON text. */
export type StoredMethod = Omit<Pick<ShippingMethodDto, FieldName | 'project_id'>, 'meta'> & { meta: string };

const inheritable: ReadonlySet<FieldName> = new Set(inheritedFields);

/** A stored method with the values that it inherits. It never changes. */
export class EffectiveMethod {
  /** Made when it is first needed, and kept. */
  private text?: string;

  /** @param from the method with the same codes in the defaults project, if it inherits from one */
  constructor(
    readonly stored: StoredMethod,
    readonly from: StoredMethod | undefined,
  ) {}

  /** A null of the default falls through to the stored value. */
  value<Name extends FieldName>(name: Name): StoredMethod[Name] {
    const inherited = inheritable.has(name) ? this.from?.[name] : undefined;
    return (inherited ?? this.stored[name]) as StoredMethod[Name];
  }

  /** The texts that `q` searches, case-folded, one on each line. No text has a line break. */
  get searchText(): string {
    return (this.text ??= searchedFields.map((name) => folded(this.value(name) ?? '')).join('\n'));
  }

  /**
   * While it inherits, the etag also names the state of the default. A default that is deleted and created again has
   * version 1 again, but another id.
   */
  get etag(): string {
    const { stored, from } = this;
    return from ? `"${stored.version}-${from.id.slice(24)}.${from.version}"` : `"${stored.version}"`;
  }

  /** A new object each time: the caller may change it. */
  get dto(): ShippingMethodDto {
    const { stored, from } = this;
    const inherited = from ? inheritedFields.filter((name) => from[name] !== null) : [];
    return {
      id: stored.id,
      project_id: stored.project_id,
      ...valuesOf(settableFields, (name) => this.value(name)),
      inherited,
      own: valuesOf(inherited, (name) => stored[name]),
      version: stored.version,
      etag: this.etag,
      created_at: stored.created_at,
      updated_at: stored.updated_at,
    };
  }

  /** What is stored and can be changed. */
  get storedValues(): StoredValues {
    return valuesOf(settableFields, (name) => this.stored[name]);
  }
}

function valuesOf<Name extends SettableField>(
  names: readonly Name[],
  valueOf: (name: Name) => unknown,
): Pick<StoredValues, Name> {
  const values: Record<string, unknown> = {};
  for (const name of names)
    values[name] = name === 'meta' ? JSON.parse(String(valueOf(name))) : valueOf(name);
  return values as Pick<StoredValues, Name>;
}

/** The order of lists. */
export function inListOrder(a: EffectiveMethod, b: EffectiveMethod): number {
  return (
    a.value('sort_order') - b.value('sort_order') ||
    byCodePoint(a.stored.carrier_code, b.stored.carrier_code) ||
    byCodePoint(a.stored.method_code, b.stored.method_code)
  );
}
