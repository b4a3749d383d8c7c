import { type Parameters } from '../database/parameters.js';
import { jsonObject, jsonOf, jsonQuoted, jsonTime } from '../database/json.js';
import { folded } from '../validation/text.js';
import { type FilterField, type FilterKind, filterFields } from './dto/list-shipping-methods.dto.js';
import { type InheritedField, type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type Condition } from './list-query.check.js';

// What is presented of a method, in SQL, so that listing, ordering, searching and filtering all see the same
// values. `m` is the method, `d` its default.

const searchedTexts = ['carrier_code', 'method_code', 'carrier_label', 'method_label'] as const;

/** What `search_text` holds for a method with these texts: each case-folded, on a line of its own. */
export function searchText(texts: Record<(typeof searchedTexts)[number], string | null>): string {
  return searchedTexts.map((field) => folded(texts[field] ?? '')).join('\n');
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

const inheritedFields: readonly InheritedField[] = ['carrier_label', 'method_label', 'sort_order', 'meta'];

export const listOrder = ['sort_order', 'carrier_code', 'method_code'] as const;

/** What an entity-tag has between its quotes. A default that is made anew is at version 1 again, but has another id. */
const tag = `m.version, CASE WHEN m.default_id IS NOT NULL
  THEN concat('-', right(m.default_id::text, 12), '.', m.default_version) END`;

/** The entity-tag of a method `m` of the `columns` of a `Presentation`. */
export const methodEtag = `concat('"', ${tag}, '"')`;

/** The JSON, as text, of a method `m` of the `columns` of a `Presentation`. */
export const methodJson = jsonObject({
  id: jsonQuoted('m.id'),
  project_id: jsonQuoted('m.project_id'),
  carrier_code: jsonOf('m.carrier_code'),
  carrier_label: jsonOf('m.carrier_label'),
  method_code: jsonOf('m.method_code'),
  method_label: jsonOf('m.method_label'),
  is_active: jsonOf('m.is_active'),
  sort_order: 'm.sort_order',
  meta: 'm.meta',
  use_default: jsonOf('m.use_default'),
  inherited: 'm.inherited',
  own: 'm.own',
  version: 'm.version',
  etag: `E'"\\\\"', ${tag}, E'\\\\""'`,
  created_at: jsonTime('m.created_at'),
  updated_at: jsonTime('m.updated_at'),
} satisfies Record<keyof ShippingMethodDto, string>);

/** How methods are presented: with the values of their defaults looked up, or as they are stored. */
export class Presentation {
  private readonly search: string;

  /** @param followsDefaults false only where no method in question has `use_default` */
  constructor(private readonly followsDefaults: boolean) {
    this.search = followsDefaults
      ? `CASE WHEN d.id IS NULL THEN m.search_text WHEN d.carrier_label IS NOT NULL THEN d.search_text
         ELSE concat_ws(E'\\n', split_part(m.search_text, E'\\n', 1), split_part(m.search_text, E'\\n', 2),
           split_part(m.search_text, E'\\n', 3), split_part(d.search_text, E'\\n', 4)) END`
      : 'm.search_text';
  }

  /** The order of every list: code points, ascending. The pair of codes is unique, so nothing comes after it. */
  get order(): string {
    return listOrder.map((field) => this.value(field)).join(', ');
  }

  /** What is presented, for `methodJson` and for what orders and groups. */
  get columns(): string {
    const inherited = `CASE WHEN d.id IS NULL THEN '[]'
      WHEN d.carrier_label IS NULL THEN '["method_label","sort_order","meta"]'
      ELSE '["carrier_label","method_label","sort_order","meta"]' END`;
    const own = `CASE WHEN d.id IS NULL THEN '{}'
      WHEN d.carrier_label IS NULL
      THEN json_build_object('method_label', m.method_label, 'sort_order', m.sort_order, 'meta', m.meta)::text
      ELSE json_build_object('carrier_label', m.carrier_label, 'method_label', m.method_label,
        'sort_order', m.sort_order, 'meta', m.meta)::text END`;
    const presented = inheritedFields.map((field) => `${this.value(field)} AS ${field}`);
    const ofDefault = this.followsDefaults
      ? `${inherited} AS inherited, ${own} AS own, d.id AS default_id, d.version AS default_version`
      : `'[]' AS inherited, '{}' AS own, NULL::uuid AS default_id, NULL::integer AS default_version`;
    return `m.id, m.project_id, m.carrier_code, m.method_code, m.is_active, ${presented.join(', ')}, m.use_default,
      ${ofDefault}, m.version, m.created_at, m.updated_at`;
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
    const expression = this.value(field);
    const type = types[filterFields[field]];
    const one = (value: unknown): string => parameters.bind(value, type);
    const list = (): string => parameters.bind(values, `${type}[]`);
    switch (op) {
      case 'eq':
      case 'in':
        return `${expression} = ANY(${list()})`;
      case 'ne':
      case 'nin':
        return `(${expression} IS NULL OR ${expression} <> ALL(${list()}))`;
      case 'between':
        return `${expression} BETWEEN ${one(values[0])} AND ${one(values[1])}`;
      case 'null':
        return `${expression} IS ${values[0] === true ? '' : 'NOT '}NULL`;
      case 'contains':
        return `strpos(${this.searchable(field)}, ${one(values[0])}) > 0`;
      case 'starts':
        return `starts_with(${this.searchable(field)}, ${one(values[0])})`;
      default:
        return `${expression} ${comparisons[op]} ${one(values[0])}`;
    }
  }

  private value(field: FilterField | InheritedField): string {
    const isInherited = this.followsDefaults && inheritedFields.some((inherited) => inherited === field);
    return isInherited ? `COALESCE(d.${field}, m.${field})` : `m.${field}`;
  }

  private searchable(field: FilterField): string {
    const line = searchedTexts.findIndex((text) => text === field) + 1;
    return `split_part(${this.search}, E'\\n', ${line})`;
  }
}

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

const types: Record<FilterKind, string> = {
  id: 'uuid',
  text: 'text',
  boolean: 'boolean',
  integer: 'integer',
  time: 'timestamptz',
};
