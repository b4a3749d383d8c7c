import { type FieldKind } from '../../shipping-methods/method-fields.js';
import { type Dialect } from '../shown.js';

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

/** Collects the values of a statement: the text itself only ever holds placeholders. */
export class Parameters {
  readonly values: unknown[] = [];

  readonly bind = (value: unknown, kind: FieldKind): string => {
    this.values.push(value);
    return `$${this.values.length}::${types[kind]}${Array.isArray(value) ? '[]' : ''}`;
  };
}

export const dialect: Dialect = {
  line: (text, number) => `split_part(${text}, E'\\n', ${number})`,
  lines: (texts) => `concat_ws(E'\\n', ${texts.join(', ')})`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  starts: (text, part) => `starts_with(${text}, ${part})`,
  anyOf: (value, values, kind, bind) => `${value} = ANY(${bind(values, kind)})`,
  noneOf: (value, values, kind, bind) => `${value} <> ALL(${bind(values, kind)})`,
};

// SQL for the JSON of the wire: arguments of `concat`, or a whole object. None of it depends on the time zone, the date
// style or the type parsers that a host has set.

/** @param members the value of each member */
export function jsonObject(members: Record<string, string>): string {
  const parts = Object.entries(members).map(
    ([name, value], index) => `'${index ? ',' : '{'}"${name}":', ${value}`,
  );
  return `concat(${parts.join(', ')}, '}')`;
}

/** Of anything that may be null. */
export function jsonOf(value: string): string {
  return `COALESCE(to_json(${value})::text, 'null')`;
}

/** Of what needs no escaping: an id, an identifier. */
export function jsonQuoted(value: string): string {
  return `'"', ${value}, '"'`;
}

/** ISO 8601, UTC, milliseconds. */
export function jsonTime(value: string): string {
  return jsonQuoted(`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
}

/** For the FROM of a statement in the scope `shared`: it fails soon (55P03) where it would wait for a lock. */
export const impatience = `set_config('lock_timeout', '50ms', true) AS impatience`;
