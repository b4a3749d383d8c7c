import { createHash } from 'node:crypto';
import { type OrderEventDto } from '../order-events/dto/order-event.dto.js';
import { type ShippingMethodDto } from '../shipping-methods/dto/shipping-method.dto.js';
import { type FieldName, fieldNames, fieldOf, inheritedFields } from '../shipping-methods/method-fields.js';
import { type Dialect } from './shown.js';

// The JSON of the wire, made by the database: a row is one text, and nothing is parsed or written again on its way.

type JsonWords = Pick<Dialect, 'concat' | 'joined' | 'jsonText' | 'jsonBoolean' | 'wireTime'>;

/** SQL of texts, one after the other. */
type Parts = readonly string[];

const quoted = (text: string): Parts => [`'"'`, text, `'"'`];

/** @param members the value of each member */
export function jsonObject(members: Readonly<Record<string, Parts>>): Parts {
  const parts = Object.entries(members).flatMap(([name, value], index) => [
    `'${index === 0 ? '{' : ','}"${name}":'`,
    ...value,
  ]);
  return [...parts, `'}'`];
}

function fieldJson({ jsonText, jsonBoolean, wireTime }: JsonWords, name: FieldName, value: string): Parts {
  const { kind } = fieldOf(name);
  if (kind === 'code' || kind === 'label') return [jsonText(value)];
  if (kind === 'boolean') return [jsonBoolean(value)];
  if (kind === 'time') return quoted(wireTime(value));
  return kind === 'id' ? quoted(value) : [value];
}

/** Where a statement has what a method shows. */
export interface ShownMethod {
  projectId: string;
  of: (name: FieldName) => string;
  /** Their JSON. */
  inherited: string;
  own: string;
  /** Of the default; undefined: no default is read. */
  defaultId?: string;
  defaultVersion?: string;
}

/** The entity-tag. A default that is deleted and made anew has version 1 again, but another id. */
export function methodEtag(
  { concat }: JsonWords,
  { of, defaultId, defaultVersion = '' }: ShownMethod,
): string {
  const end = `substr(CAST(${defaultId} AS char(36)), 25)`;
  const ofDefault = `CASE WHEN ${defaultId} IS NULL THEN '' ELSE ${concat([`'-'`, end, `'.'`, defaultVersion])} END`;
  return concat([`'"'`, of('version'), ...(defaultId ? [ofDefault] : []), `'"'`]);
}

export function methodJson(words: JsonWords, method: ShownMethod): string {
  const { id, version, created_at, updated_at, ...settable } = Object.fromEntries(
    fieldNames.map((name) => [name, fieldJson(words, name, method.of(name))]),
  ) as Record<FieldName, Parts>;
  const members = {
    id,
    project_id: quoted(method.projectId),
    ...settable,
    inherited: [method.inherited],
    own: [method.own],
    version,
    etag: [words.jsonText(methodEtag(words, method))],
    created_at,
    updated_at,
  } satisfies Record<keyof ShippingMethodDto, Parts>;
  return words.concat(jsonObject(members));
}

/** Another text for another form of the JSON. */
export function formatOf(...forms: readonly string[]): string {
  return createHash('sha256').update(forms.join()).digest('base64url').slice(0, 6);
}

/** The names of the inherited fields of a method `m` with the default `d`, and the method's own values of these. */
export function inheritance(words: JsonWords): Pick<ShownMethod, 'inherited' | 'own'> {
  // A null of a nullable field falls through: the field is not inherited then.
  const whereInherited = (name: FieldName, text: string): string =>
    fieldOf(name).nullable ? `CASE WHEN d.${name} IS NOT NULL THEN ${text} END` : text;
  const names = inheritedFields.map((name) => whereInherited(name, `'"${name}"'`));
  const values = inheritedFields.map((name) =>
    whereInherited(name, words.concat([`'"${name}":'`, ...fieldJson(words, name, `m.${name}`)])),
  );
  const ifAny = (none: string, begin: string, texts: readonly string[], end: string): string =>
    `CASE WHEN d.id IS NULL THEN '${none}' ELSE ${words.concat([begin, words.joined(`','`, texts), end])} END`;
  return { inherited: ifAny('[]', `'['`, names, `']'`), own: ifAny('{}', `'{'`, values, `'}'`) };
}

/**
 * The revision of what a project `p` shows: that of its own row and, while one of its methods has `use_default`, that of
 * the defaults project `d`. A project without a row has the format alone, which no stored row ever gives.
 * @param format of the JSON: a new version of the library does not confirm old bodies
 */
export function revisionOf({ joined }: JsonWords, format: string): string {
  const ofDefaults = `CASE WHEN p.followers > 0 THEN COALESCE(CAST(d.revision AS char(36)), 'none') END`;
  return joined(`'.'`, [`'${format}'`, 'p.revision', ofDefaults]);
}

/** The JSON of an event whose columns are at hand. */
export function eventJson({ concat, jsonText, wireTime }: JsonWords): string {
  const members = {
    id: quoted('id'),
    project_id: quoted('project_id'),
    order_id: quoted('order_id'),
    type: quoted('type'),
    message: [jsonText('message')],
    data: ['data'],
    actor: [`COALESCE(actor, 'null')`],
    occurred_at: quoted(wireTime('occurred_at')),
    recorded_at: quoted(wireTime('recorded_at')),
  } satisfies Record<keyof OrderEventDto, Parts>;
  return concat(jsonObject(members));
}
