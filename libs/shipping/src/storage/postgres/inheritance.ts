import { type FilterOperator, type operators } from '../../shipping-methods/dto/list-shipping-methods.dto.js';
import { type ShippingMethodDto } from '../../shipping-methods/dto/shipping-method.dto.js';
import { type Condition } from '../../shipping-methods/list-query.check.js';
import {
  type FieldKind,
  type FieldName,
  fieldNames,
  fieldOf,
  inheritedFields,
  searchedFields,
} from '../../shipping-methods/method-fields.js';
import { jsonObject, jsonOf, jsonQuoted, jsonTime, type Parameters } from './sql.js';

// What a method shows, in SQL, so that lists, order, search and filters all see the same values. `m` is the method and
// `d` its default: the method with the same codes in the defaults project, if `m` has `use_default`. An inherited field
// shows the value of `d`, or the method's own where `d` is missing or has null.

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

export const listOrder = ['sort_order', 'carrier_code', 'method_code'] as const;

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

/** The value that a method shows. @param inherits false only where no method in question has `use_default` */
export function shown(name: FieldName, inherits: boolean): string {
  return inherits && fieldOf(name).inherited ? `COALESCE(d.${name}, m.${name})` : `m.${name}`;
}

/** The order of every list: code points, ascending. The pair of codes is unique, so the order is total. */
export function shownOrder(inherits: boolean): string {
  return listOrder.map((name) => shown(name, inherits)).join(', ');
}

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

/** The searched texts that a method shows, on the lines of `search_text`. */
function shownText(inherits: boolean): string {
  if (!inherits) return 'm.search_text';
  const lines = searchedFields.map((name) => {
    const { inherited: isInherited, nullable } = fieldOf(name);
    if (!isInherited) return lineOf('m.search_text', name);
    const ofDefault = lineOf('d.search_text', name);
    return nullable
      ? `CASE WHEN d.${name} IS NULL THEN ${lineOf('m.search_text', name)} ELSE ${ofDefault} END`
      : ofDefault;
  });
  return `CASE WHEN d.id IS NULL THEN m.search_text ELSE concat_ws(E'\\n', ${lines.join(', ')}) END`;
}

function lineOf(text: string, name: FieldName): string {
  return `split_part(${text}, E'\\n', ${fieldOf(name).searchLine})`;
}

/** @param word case-folded */
export function hasWord(word: string, inherits: boolean, parameters: Parameters): string {
  return `strpos(${shownText(inherits)}, ${parameters.bind(word, 'text')}) > 0`;
}

/** PostgreSQL's types of what is compared. */
const types: Record<FieldKind, string> = {
  id: 'uuid',
  code: 'text',
  label: 'text',
  boolean: 'boolean',
  integer: 'integer',
  json: 'jsonb',
  time: 'timestamptz',
};

export function satisfies(condition: Condition, inherits: boolean, parameters: Parameters): string {
  const { field, op, values } = condition;
  const type = types[fieldOf(field).kind];
  const given: Compared & ComparedText = {
    value: shown(field, inherits),
    text: () => lineOf(shownText(inherits), field),
    one: (place: number = 0) => parameters.bind(values[place], type),
    list: () => parameters.bind(values, `${type}[]`),
    isTrue: values[0] === true,
  };
  return comparisons[op](given);
}

interface Compared {
  /** The value that the method shows. */
  value: string;
  /** Binds a value of the condition, by default the first. */
  one: (place?: number) => string;
  /** Binds all of them. */
  list: () => string;
  isTrue: boolean;
}

/** For operators that take a part of a text. */
interface ComparedText {
  /** The value that the method shows, case-folded. */
  text: () => string;
  /** Binds the part, case-folded. */
  one: () => string;
}

type Comparison<Takes> = (given: Takes extends 'part' ? ComparedText : Compared) => string;

const anyOf = ({ value, list }: Compared): string => `${value} = ANY(${list()})`;
const noneOf = ({ value, list }: Compared): string => `(${value} IS NULL OR ${value} <> ALL(${list()}))`;

const comparisons: { [Name in FilterOperator]: Comparison<(typeof operators)[Name]['takes']> } = {
  eq: anyOf,
  in: anyOf,
  ne: noneOf,
  nin: noneOf,
  contains: ({ text, one }) => `strpos(${text()}, ${one()}) > 0`,
  starts: ({ text, one }) => `starts_with(${text()}, ${one()})`,
  gt: ({ value, one }) => `${value} > ${one()}`,
  gte: ({ value, one }) => `${value} >= ${one()}`,
  lt: ({ value, one }) => `${value} < ${one()}`,
  lte: ({ value, one }) => `${value} <= ${one()}`,
  between: ({ value, one }) => `${value} BETWEEN ${one(0)} AND ${one(1)}`,
  null: ({ value, isTrue }) => `${value} IS ${isTrue ? '' : 'NOT '}NULL`,
};
