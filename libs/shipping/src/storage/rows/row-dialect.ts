import { type Dialect, type ValueKind, type Values } from '../shown.js';
import { type EventDialect } from '../sql-events.js';
import { type Scope } from '../transactions.js';

/** What MariaDB, MySQL and SQLite say differently. */
export interface RowDialect extends EventDialect {
  /** What a SELECT ends with to lock its rows: in the scope `shared`, rows that are locked by others are left out. */
  lock(scope: Scope): string;
  /** What an INSERT of a project ends with, to lock the row if it is there. */
  ifThere: string;
  /**
   * After the name of a table whose rows are found by their keys. The server need not compare its indexes, and does not
   * lock all rows of a small table.
   */
  byKey: string;
  /** Whether an INSERT of methods gives them back as they are stored, whatever a trigger has changed. */
  returnsStored: boolean;
  /** A SELECT with an order and a limit, as a part of a UNION: only one statement reads at one moment. */
  part(select: string): string;
}

/** The values of a statement, in the order of their placeholders. */
export class RowValues implements Values {
  readonly all: unknown[] = [];

  readonly bind = (value: unknown, kind: ValueKind): string => {
    this.all.push(columnValue(value, kind));
    return '?';
  };
}

/** How these engines take a value of ours. */
export function columnValue(value: unknown, kind: ValueKind): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'boolean' || kind === 'bigint') return Number(value);
  if (kind === 'json') return JSON.stringify(value);
  if (kind === 'time') return columnTime(String(value));
  return kind === 'id' ? String(value).toLowerCase() : value;
}

/** A time of ours as a column takes it. Stored times have milliseconds, and as texts they are in order too. */
function columnTime(utc: string): string {
  const finer = utc.slice(23, -1).replace(/0+$/, '');
  return `${utc.slice(0, 23).replace('T', ' ')}${finer}`;
}

/** As many as a power of two, by repeating the last one: so few texts of statements do for any number. */
export function padded<Item>(items: readonly Item[]): Item[] {
  const count = 2 ** Math.ceil(Math.log2(items.length || 1));
  return Array.from({ length: count }, (_, index) => items[Math.min(index, items.length - 1)] as Item);
}

/** What these engines say alike. */
export const rowDialect = {
  values: () => new RowValues(),
  anyOf: (value, values, kind, bind) =>
    values.length > 0
      ? `${value} IN (${padded(values)
          .map((each) => bind(each, kind))
          .join(', ')})`
      : 'false',
  noneOf: (value, values, kind, bind) =>
    values.length > 0
      ? `${value} NOT IN (${padded(values)
          .map((each) => bind(each, kind))
          .join(', ')})`
      : 'true',
  jsonBoolean: (value) => `CASE WHEN ${value} THEN 'true' ELSE 'false' END`,
  given: (values) => `VALUES (${values})`,
  waitsForKeys: true,
} satisfies Partial<RowDialect> & Partial<Dialect>;
