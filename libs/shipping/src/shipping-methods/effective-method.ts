import { byCodePoint, folded } from '../validation/text.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import {
  type FieldName,
  fieldNames,
  type InheritedField,
  inheritedFields,
  searchedFields,
  type SettableField,
  settableFields,
} from './method-fields.js';
import { type StoredValues } from './stored-values.js';

/** A method as it is stored. `meta` is not parsed, because most reads do not need its values. */
export type StoredMethod = Omit<Pick<ShippingMethodDto, FieldName | 'project_id'>, 'meta'> & { meta: string };

const inheritable: ReadonlySet<FieldName> = new Set(inheritedFields);

const isBeforeMeta = (name: FieldName): boolean => fieldNames.indexOf(name) < fieldNames.indexOf('meta');
const fieldsBeforeMeta = settableFields.filter(isBeforeMeta);

/** A stored method together with the default that it inherits from. It never changes. */
export class EffectiveMethod {
  private folded?: string;

  /** @param from the default, which has the same codes in the defaults project; undefined when nothing is inherited */
  constructor(
    readonly stored: StoredMethod,
    readonly from: StoredMethod | undefined,
  ) {}

  /** Returns the value that clients see. If the default has null, it is the stored value. */
  value<Name extends FieldName>(name: Name): StoredMethod[Name] {
    const inherited = inheritable.has(name) ? this.from?.[name] : undefined;
    return (inherited ?? this.stored[name]) as StoredMethod[Name];
  }

  /**
   * The searched texts, case-folded, one on each line in the order of `searchedFields`. No text has a line break. They are
   * folded when a list first searches them, and kept for the next lists.
   */
  get searchText(): string {
    return (this.folded ??= searchedFields.map((name) => folded(this.value(name) ?? '')).join('\n'));
  }

  /**
   * While a method inherits, its etag also names the state of the default: a part of its id, and its version. The version
   * alone is not enough, because a default that is deleted and created again has version 1 again.
   */
  get etag(): string {
    const { stored, from } = this;
    return from ? `"${stored.version}-${from.id.slice(24)}.${from.version}"` : `"${stored.version}"`;
  }

  /** Returns a new object each time, so that the caller may change it. */
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
    const values = valuesOf(fieldsBeforeMeta, (name) => this.value(name));
    const first = withMeta({ id, project_id, ...values }, this.value('meta'));
    const { use_default } = stored;
    const ownValues = valuesOf(inherited.filter(isBeforeMeta), (name) => stored[name]);
    // A default always has a `meta`, so it is inherited with the other fields.
    const own = inherited.length > 0 ? withMeta(ownValues, stored.meta) : '{}';
    const last = JSON.stringify({ version, etag, created_at, updated_at });
    return `${first.slice(0, -1)},"use_default":${use_default},"inherited":${JSON.stringify(inherited)},"own":${own},${last.slice(1)}`;
  }

  /** The stored values that a client can change. */
  get storedValues(): StoredValues {
    return valuesOf(settableFields, (name) => this.stored[name]);
  }

  private get inherited(): InheritedField[] {
    const { from } = this;
    return from ? inheritedFields.filter((name) => from[name] !== null) : [];
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

/** @returns JSON of an object with a last member `meta` */
function withMeta(values: object, meta: string): string {
  const json = JSON.stringify(values).slice(0, -1);
  return `${json}${json === '{' ? '' : ','}"meta":${meta}}`;
}

/** Compares two methods for the order of lists. */
export function inListOrder(a: EffectiveMethod, b: EffectiveMethod): number {
  return (
    a.value('sort_order') - b.value('sort_order') ||
    byCodePoint(a.stored.carrier_code, b.stored.carrier_code) ||
    byCodePoint(a.stored.method_code, b.stored.method_code)
  );
}
