import { type Parameters } from '../database/parameters.js';
import { jsonObject, jsonOf, jsonQuoted, jsonTime } from '../database/json.js';
import { folded } from '../validation/text.js';
import { type FilterOperator } from './dto/list-shipping-methods.dto.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type Condition } from './list-query.check.js';
import {
  type FieldKind,
  type FieldName,
  fieldNames,
  fieldOf,
  inheritedFields,
  type SearchedField,
  searchedFields,
} from './method-fields.js';

// What is presented of a method, in SQL, so that listing, ordering, searching and filtering all see the same
// values. `m` is the method, `d` its default.

/** What `search_text` holds for a method with these texts: each case-folded, on a line of its own. */
export function searchText(texts: Record<SearchedField, string | null>): string {
  return searchedFields.map((field) => folded(texts[field] ?? '')).join('\n');
}

// Methods are looked up one by one by their key. OFFSET and LIMIT hold the planner to that: a plan or statistics of
// before an import would have it read all of a project for each.

/** @param codes of what has the codes: a table or an alias */
export function byCodes(methods: string, project: string, codes: string, condition = 'true'): string {
  return `LATERAL (
      SELECT * FROM ${methods} AS o WHERE ${condition} AND o.project_id = ${project}
      AND o.carrier_code = ${codes}.carrier_code AND o.method_code = ${codes}.method_code OFFSET 0
    )`;
}

/** Gives the next one where there is no such id: compare it. By the primary key, since no other has this order. */
export function byId(methods: string, project: string, id: string): string {
  return `LATERAL (SELECT * FROM ${methods} AS o WHERE o.project_id = ${project} AND o.id >= ${id} ORDER BY o.id LIMIT 1)`;
}

export const listOrder = ['sort_order', 'carrier_code', 'method_code'] as const;

/** What an entity-tag has between its quotes. A default that is made anew is at version 1 again, but has another id. */
const tag = `m.version, CASE WHEN m.default_id IS NOT NULL
  THEN concat('-', right(m.default_id::text, 12), '.', m.default_version) END`;

/** The entity-tag of a method `m` of the `columns` of a `Presentation`. */
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

const jsonOfFields = Object.fromEntries(
  fieldNames.map((name) => [name, jsonOfKind[fieldOf(name).kind](`m.${name}`)]),
) as Record<FieldName, string>;

const { id, version, created_at, updated_at, ...settable } = jsonOfFields;

/** The JSON, as text, of a method `m` of the `columns` of a `Presentation`. */
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

/** How methods are presented: with the values of their defaults looked up, or as they are stored. */
export class Presentation {
  private readonly search: string;

  /** @param followsDefaults false only where no method in question has `use_default` */
  constructor(private readonly followsDefaults: boolean) {
    const lines = searchedFields.map((field, index) => {
      const line = (row: string): string => `split_part(${row}.search_text, E'\\n', ${index + 1})`;
      if (!fieldOf(field).inherited) return line('m');
      return fieldOf(field).nullable
        ? `CASE WHEN d.${field} IS NULL THEN ${line('m')} ELSE ${line('d')} END`
        : line('d');
    });
    this.search = followsDefaults
      ? `CASE WHEN d.id IS NULL THEN m.search_text ELSE concat_ws(E'\\n', ${lines.join(', ')}) END`
      : 'm.search_text';
  }

  /** The order of every list: code points, ascending. The pair of codes is unique, so nothing comes after it. */
  get order(): string {
    return listOrder.map((field) => this.value(field)).join(', ');
  }

  /** What is presented, for `methodJson` and for what orders and groups. */
  get columns(): string {
    const fields = fieldNames.map((name) => `${this.value(name)} AS ${name}`).join(', ');
    if (!this.followsDefaults)
      return `m.project_id, ${fields}, '[]' AS inherited, '{}' AS own, NULL::uuid AS default_id, NULL::integer AS default_version`;
    // A null of the default falls through to the own value: such a field is not inherited.
    const present = inheritedFields.map((name) =>
      fieldOf(name).nullable ? `d.${name} IS NOT NULL` : 'true',
    );
    const inherited = inheritedFields.map(
      (name, index) => `CASE WHEN ${present[index]} THEN '"${name}"' END`,
    );
    const own = inheritedFields.map(
      (name, index) =>
        `CASE WHEN ${present[index]} THEN concat('"${name}":', ${jsonOfKind[fieldOf(name).kind](`m.${name}`)}) END`,
    );
    return `m.project_id, ${fields},
      CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', ${inherited.join(', ')}), ']') END AS inherited,
      CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', ${own.join(', ')}), '}') END AS own,
      d.id AS default_id, d.version AS default_version`;
  }

  /**
   * @param source the table of methods, or a CTE of its rows
   * @param methods the table of methods, for the defaults
   */
  from(source: string, methods: string, defaultsProjectId: string, parameters: Parameters): string {
    if (!this.followsDefaults) return `${source} AS m`;
    const project = parameters.bind(defaultsProjectId, 'text');
    const follows = `m.use_default AND m.project_id <> ${project}`;
    return `${source} AS m LEFT JOIN ${byCodes(methods, project, 'm', follows)} AS d ON true`;
  }

  /** @param word case-folded */
  hasWord(word: string, parameters: Parameters): string {
    return `strpos(${this.search}, ${parameters.bind(word, 'text')}) > 0`;
  }

  satisfies({ field, op, values }: Condition, parameters: Parameters): string {
    const type = types[fieldOf(field).kind];
    return conditions[op]({
      value: this.value(field),
      line: `split_part(${this.search}, E'\\n', ${fieldOf(field).searchLine})`,
      one: (place = 0) => parameters.bind(values[place], type),
      list: () => parameters.bind(values, `${type}[]`),
      isTrue: values[0] === true,
    });
  }

  private value(name: FieldName): string {
    const isInherited = this.followsDefaults && fieldOf(name).inherited;
    return isInherited ? `COALESCE(d.${name}, m.${name})` : `m.${name}`;
  }
}

interface Compared {
  /** The value that is shown. */
  value: string;
  /** Its case-folded text, for fields that are searched. */
  line: string;
  /** Binds a value of the condition. */
  one: (place?: number) => string;
  /** Binds all of them. */
  list: () => string;
  isTrue: boolean;
}

const anyOf = ({ value, list }: Compared): string => `${value} = ANY(${list()})`;
const noneOf = ({ value, list }: Compared): string => `(${value} IS NULL OR ${value} <> ALL(${list()}))`;

const conditions: Record<FilterOperator, (compared: Compared) => string> = {
  eq: anyOf,
  in: anyOf,
  ne: noneOf,
  nin: noneOf,
  contains: ({ line, one }) => `strpos(${line}, ${one()}) > 0`,
  starts: ({ line, one }) => `starts_with(${line}, ${one()})`,
  gt: ({ value, one }) => `${value} > ${one()}`,
  gte: ({ value, one }) => `${value} >= ${one()}`,
  lt: ({ value, one }) => `${value} < ${one()}`,
  lte: ({ value, one }) => `${value} <= ${one()}`,
  between: ({ value, one }) => `${value} BETWEEN ${one(0)} AND ${one(1)}`,
  null: ({ value, isTrue }) => `${value} IS ${isTrue ? '' : 'NOT '}NULL`,
};

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
