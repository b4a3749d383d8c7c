import { folded } from '../validation/text.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { byCodes } from './method-codes.js';
import { type FieldName, searchedFields, type SettableField, settableFields } from './method-fields.js';
import { inheritedValue, type StoredValues } from './stored-values.js';
import { type InheritableField, inheritedFieldsOf } from './use-default.js';

/** A method as it is stored. `meta` is not parsed, because most reads do not need its values. */
export type StoredMethod = Omit<Pick<ShippingMethodDto, FieldName | 'project_id'>, 'meta'> & { meta: string };

/** A stored method together with the default that it inherits from. It never changes. */
export class EffectiveMethod {
  private cachedTexts?: readonly string[];

  /**
   * @param mayInherit false for each method of the defaults project, and for a method with `use_default: false`
   * @param inheritedFrom the default with the same codes, if there is one and the method may inherit from it
   */
  constructor(
    readonly stored: StoredMethod,
    readonly mayInherit: boolean,
    readonly inheritedFrom?: StoredMethod,
  ) {}

  /** Returns the value that clients see. If the default has null, this is the stored value. */
  value<Name extends FieldName>(name: Name): StoredMethod[Name] {
    const { stored, inheritedFrom } = this;
    if (!inheritedFrom || !inheritedFieldsOf(stored.use_default).some((each) => each === name))
      return stored[name];
    return inheritedValue(name, stored[name], inheritedFrom[name]);
  }

  /**
   * The texts of `searchedFields`, case-folded. They are folded when a list first searches them, and stay in memory for
   * the next lists.
   */
  get foldedTexts(): readonly string[] {
    return (this.cachedTexts ??= searchedFields.map((name) => folded(this.value(name) ?? '')));
  }

  /**
   * While a method may inherit, its etag also names the state of the default: a part of its id, and its version. The
   * version alone is not enough, because a default that is removed and created again has version 1 again. `none` means
   * that there is no default, so the etag changes when somebody creates one.
   */
  get etag(): string {
    const { stored, mayInherit, inheritedFrom } = this;
    if (!mayInherit) return `"${stored.version}"`;
    const ofDefault = inheritedFrom ? `${inheritedFrom.id.slice(24)}.${inheritedFrom.version}` : 'none';
    return `"${stored.version}-${ofDefault}"`;
  }

  /** Returns a new object each time, so that the caller may change it. */
  toDto(): ShippingMethodDto {
    const { stored, inherited } = this;
    const { use_default } = stored;
    return {
      id: stored.id,
      project_id: stored.project_id,
      ...valuesOf(settableFields, (name) => this.value(name)),
      use_default: typeof use_default === 'boolean' ? use_default : [...use_default],
      inherited,
      own: valuesOf(inherited, (name) => stored[name]),
      version: stored.version,
      etag: this.etag,
      created_at: stored.created_at,
      updated_at: stored.updated_at,
    };
  }

  /**
   * Returns the JSON of `toDto()`. The stored JSON of `meta` is copied, because parsing it can take a hundred times as
   * long.
   */
  toJson(): string {
    const { stored, inherited } = this;
    const own = inherited.map((name) => `"${name}":${valueJson(name, stored[name])}`);
    let json = `{"id":"${stored.id}","project_id":${JSON.stringify(stored.project_id)},`;
    for (const [name, key] of keys) json += `${key}${valueJson(name, this.value(name))},`;
    json += `"inherited":${JSON.stringify(inherited)},"own":{${own.join()}}`;
    json += `,"version":${stored.version},"etag":${JSON.stringify(this.etag)}`;
    return `${json},"created_at":"${stored.created_at}","updated_at":"${stored.updated_at}"}`;
  }

  private get inherited(): InheritableField[] {
    const { stored, inheritedFrom } = this;
    return inheritedFrom
      ? inheritedFieldsOf(stored.use_default).filter((name) => inheritedFrom[name] !== null)
      : [];
  }
}

/** Returns the stored values that a client can change. */
export function storedValuesOf(stored: StoredMethod): StoredValues {
  return valuesOf(settableFields, (name) => stored[name]);
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

/** The names of the settable fields, each with the JSON of its key. */
const keys = settableFields.map((name) => [name, `"${name}":`] as const);

/** @param value a value of a stored method, in which `meta` is JSON already */
function valueJson(name: SettableField, value: unknown): string {
  return name === 'meta' ? String(value) : JSON.stringify(value);
}

/** Compares two methods for the order of lists. */
export function inListOrder(a: EffectiveMethod, b: EffectiveMethod): number {
  return a.value('sort_order') - b.value('sort_order') || byCodes(a.stored, b.stored);
}
