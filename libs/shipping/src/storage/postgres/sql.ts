import { type Values, type ValueKind } from '../shown.js';
import { type EventDialect } from '../sql-events.js';

/** PostgreSQL's types of values. */
const types: Record<ValueKind, string> = {
  id: 'uuid',
  code: 'text',
  label: 'text',
  boolean: 'boolean',
  integer: 'integer',
  bigint: 'bigint',
  json: 'jsonb',
  time: 'timestamptz',
};

/** Collects the values of a statement: the text itself only ever holds placeholders. */
export class Parameters implements Values {
  readonly all: unknown[] = [];

  readonly bind = (value: unknown, kind: ValueKind): string => {
    this.all.push(kind === 'json' && value !== null ? JSON.stringify(value) : value);
    return `$${this.all.length}::${types[kind]}${Array.isArray(value) ? '[]' : ''}`;
  };
}

/** For the FROM of a statement in the scope `shared`: it fails soon (55P03) where it would wait for a lock. */
export const impatience = `set_config('lock_timeout', '50ms', true) AS impatience`;

/** None of it depends on the time zone, the date style or the type parsers that a host has set. */
export const dialect: EventDialect = {
  values: () => new Parameters(),
  line: (text, number) => `split_part(${text}, E'\\n', ${number})`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  starts: (text, part) => `starts_with(${text}, ${part})`,
  anyOf: (value, values, kind, bind) => `${value} = ANY(${bind(values, kind)})`,
  noneOf: (value, values, kind, bind) => `${value} <> ALL(${bind(values, kind)})`,
  concat: (texts) => `concat(${texts.join(', ')})`,
  joined: (separator, texts) => `concat_ws(${separator}, ${texts.join(', ')})`,
  jsonText: (text) => `COALESCE(to_json(${text})::text, 'null')`,
  jsonBoolean: (value) => `${value}::text`,
  wireTime: (time) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  now: 'statement_timestamp()',
  given: (values, scope) =>
    scope === 'shared' ? `SELECT ${values} FROM ${impatience}` : `VALUES (${values})`,
  waitsForKeys: false,
  orNothing: 'ON CONFLICT (project_id, order_id, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING',
  returns: true,
  newest: '',
};
