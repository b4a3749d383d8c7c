import { fieldNames } from '../../shipping-methods/method-fields.js';
import { shown } from '../shown.js';
import { inheritance, methodEtag as etagOf, methodJson as jsonOf, type ShownMethod } from '../wire-json.js';
import { dialect } from './sql.js';

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

const method: ShownMethod = {
  projectId: 'm.project_id',
  of: (name) => `m.${name}`,
  inherited: 'm.inherited',
  own: 'm.own',
  defaultId: 'm.default_id',
  defaultVersion: 'm.default_version',
};

/** The entity-tag, and the JSON as text, of a method `m` of `shownColumns`. */
export const methodEtag = etagOf(dialect, method);
export const methodJson = jsonOf(dialect, method);

const columns = { own: columnsOf(false), inherited: columnsOf(true) };

/** All that a method shows, for `methodJson` and for what orders and groups. */
export function shownColumns(inherits: boolean): string {
  return inherits ? columns.inherited : columns.own;
}

function columnsOf(inherits: boolean): string {
  const fields = fieldNames.map((name) => `${shown(name, inherits)} AS ${name}`).join(', ');
  if (!inherits)
    return `m.project_id, ${fields}, '[]' AS inherited, '{}' AS own, NULL::uuid AS default_id, NULL::integer AS default_version`;
  const { inherited, own } = inheritance(dialect);
  return `m.project_id, ${fields}, ${inherited} AS inherited, ${own} AS own,
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
