import { byCodePoint, folded } from '../validation/text.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import {
  type FieldName,
  type InheritedField,
  inheritedFields,
  searchedFields,
  type SettableField,
  settableFields,
} from './method-fields.js';
import { type StoredValues } from './stored-values.js';

/** A method as it is stored. Most methods are read without a look into their `meta`, so it stays JSON text. */
export type StoredMethod = Omit<Pick<ShippingMethodDto, FieldName | 'project_id'>, 'meta'> & { meta: string };

const inheritable: ReadonlySet<FieldName> = new Set(inheritedFields);

type FoldedTexts = Partial<Record<FieldName, string | null>>;

/** A stored method with the values that it inherits. It never changes. */
export class EffectiveMethod {
  private foldedTexts?: Readonly<FoldedTexts>;

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

  /** The searched texts, case-folded. They are folded when a list first searches them, and kept for the next lists. */
  get folded(): Readonly<FoldedTexts> {
    return (this.foldedTexts ??= this.fold());
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
    const { stored, inherited } = this;
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

  /** JSON of the `dto`. The stored JSON of `meta` is copied, because parsing it can take a hundred times as long. */
  get json(): string {
    const { stored, inherited, etag } = this;
    const { id, project_id, version, created_at, updated_at } = stored;
    const first = JSON.stringify({ id, project_id }).slice(0, -1);
    const values = membersOf(settableFields, (name) => this.value(name));
    const own = membersOf(inherited, (name) => stored[name]);
    const last = JSON.stringify({ version, etag, created_at, updated_at }).slice(1);
    return `${first},${values},"inherited":${JSON.stringify(inherited)},"own":{${own}},${last}`;
  }

  /** What is stored and can be changed. */
  get storedValues(): StoredValues {
    return valuesOf(settableFields, (name) => this.stored[name]);
  }

  private get inherited(): InheritedField[] {
    const { from } = this;
    return from ? inheritedFields.filter((name) => from[name] !== null) : [];
  }

  private fold(): FoldedTexts {
    const texts: FoldedTexts = {};
    for (const name of searchedFields) {
      const text = this.value(name);
      texts[name] = text === null ? null : folded(text);
    }
    return texts;
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

/** @returns the members of a JSON object, without the braces */
function membersOf<Name extends SettableField>(
  names: readonly Name[],
  valueOf: (name: Name) => unknown,
): string {
  const jsonOf = (name: Name): unknown => (name === 'meta' ? valueOf(name) : JSON.stringify(valueOf(name)));
  return names.map((name) => `"${name}":${jsonOf(name)}`).join(',');
}

/** The order of lists. */
export function inListOrder(a: EffectiveMethod, b: EffectiveMethod): number {
  return (
    a.value('sort_order') - b.value('sort_order') ||
    byCodePoint(a.stored.carrier_code, b.stored.carrier_code) ||
    byCodePoint(a.stored.method_code, b.stored.method_code)
  );
}
