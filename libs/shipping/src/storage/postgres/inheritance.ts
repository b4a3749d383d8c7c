import { type ShippingMethodDto } from '../../shipping-methods/dto/shipping-method.dto.js';
import {
  type FieldKind,
  type FieldName,
  fieldNames,
  fieldOf,
  inheritedFields,
} from '../../shipping-methods/method-fields.js';
import { shown } from '../shown.js';
import { jsonObject, jsonOf, jsonQuoted, jsonTime } from './sql.js';

// Methods are looked up one by one by their key. OFFSET 0 and LIMIT 1 stop the planner from reading the whole project for
// each of them, which it would do with a plan or statistics from before an import.

/** @param key an alias that has the codes, or for `byId` the id */
export function byCodes(methods: string, project: string, key: string, condition = 'true'): string {
  return `LATERAL (
      SELECT * FROM ${methods} AS o WHERE ${condition} AND o.project_id = ${project}
      AND o.carrier_code = ${key}.carrier_code AND o.method_code = ${key}.method_code OFFSET 0
    )`;
}

/**
 * If there is no such id, this gives the method with the next one, so compare the id. No other index than the primary key
 * has this order.
 */
export function byId(methods: string, project: string, key: string): string {
  return `LATERAL (SELECT * FROM ${methods} AS o WHERE o.project_id = ${project} AND o.id >= ${key}.id ORDER BY o.id LIMIT 1)`;
}

/** The entity-tag without its quotes. A default that is deleted and made anew has version 1 again, but another id. */
const tag = `m.version, CASE WHEN m.default_id IS NOT NULL
  THEN concat('-', right(m.default_id::text, 12), '.', m.default_version) END`;

/** The entity-tag of a method `m` of `shownColumns`. */
export const methodEtag = `concat('"', ${tag}, '"')`;

const jsonOfKind: Record<FieldKind, (value: string) => string> = {
  id: jsonQuoted,
  code: jsonOf,
  label: jsonOf,
  boolean: jsonOf,
  integer: (value) => value,
  json: (value) => value,
  time: jsonTime,
};

function jsonOfField(name: FieldName): string {
  return jsonOfKind[fieldOf(name).kind](`m.${name}`);
}

const { id, version, created_at, updated_at, ...settable } = Object.fromEntries(
  fieldNames.map((name) => [name, jsonOfField(name)]),
) as Record<FieldName, string>;

/** The JSON, as text, of a method `m` of `shownColumns`. */
export const methodJson = jsonObject({
  id,
  project_id: jsonQuoted('m.project_id'),
  ...settable,
  inherited: 'm.inherited',
  own: 'm.own',
  version,
  etag: `E'"\\\\"', ${tag}, E'\\\\""'`,
  created_at,
  updated_at,
} satisfies Record<keyof ShippingMethodDto, string>);

const columns = { own: columnsOf(false), inherited: columnsOf(true) };

/** All that a method shows, for `methodJson` and for what orders and groups. */
export function shownColumns(inherits: boolean): string {
  return inherits ? columns.inherited : columns.own;
}

function columnsOf(inherits: boolean): string {
  const fields = fieldNames.map((name) => `${shown(name, inherits)} AS ${name}`).join(', ');
  if (!inherits)
    return `m.project_id, ${fields}, '[]' AS inherited, '{}' AS own, NULL::uuid AS default_id, NULL::integer AS default_version`;
  // A null of a nullable field falls through: the field is not inherited then.
  const whereInherited = (name: FieldName, text: string): string =>
    fieldOf(name).nullable ? `CASE WHEN d.${name} IS NOT NULL THEN ${text} END` : text;
  const names = inheritedFields.map((name) => whereInherited(name, `'"${name}"'`));
  const own = inheritedFields.map((name) =>
    whereInherited(name, `concat('"${name}":', ${jsonOfField(name)})`),
  );
  return `m.project_id, ${fields},
      CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', ${names.join(', ')}), ']') END AS inherited,
      CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', ${own.join(', ')}), '}') END AS own,
      d.id AS default_id, d.version AS default_version`;
}

/**
 * Methods `m` with their defaults `d`. The parameter `$2` of every statement is the id of the defaults project.
 * @param methods the table of methods, for the defaults
 * @param source the methods: the whole table, or rows of it
 */
export function withDefaults(methods: string, source = methods): string {
  const inherits = 'm.use_default AND m.project_id <> $2::text';
  return `${source} AS m LEFT JOIN ${byCodes(methods, '$2::text', 'm', inherits)} AS d ON true`;
}
