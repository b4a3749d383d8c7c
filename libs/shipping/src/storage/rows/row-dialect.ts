import { type FieldKind } from '../../shipping-methods/method-fields.js';
import { type Bind, type Dialect } from '../shown.js';
import { type Scope } from '../transactions.js';

/** What MariaDB, MySQL and SQLite say differently. */
export interface RowDialect extends Omit<Dialect, 'anyOf' | 'noneOf'> {
  /** What a SELECT ends with to lock its rows: in the scope `shared`, rows that are locked by others are left out. */
  lock(scope: Scope): string;
  /** What a SELECT ends with to see what is committed now, though the caller's snapshot is older. */
  newest: string;
  /** The time by the clock of the database, as a column takes it. */
  now: string;
  /** A time as text: `2026-01-31 09:30:00.000`, UTC. */
  timeText(column: string): string;
  /** What an INSERT of a project ends with, to lock the row if it is there. */
  ifThere: string;
  /** After the alias of the methods: they are found by their ids. The server need not compare its indexes. */
  byId: string;
  /** Whether an INSERT gives its rows back as they are stored, whatever a trigger has changed. */
  returns: boolean;
  /** The place of a new event in all events; undefined: the database numbers them. */
  nextSeq?(events: string): string;
  /**
   * A SELECT with an order and a limit, as a part of a UNION: only one statement reads at one moment. Undefined: the
   * statements of a read do so too.
   */
  part?(select: string): string;
}

/** The values of a statement, in the order of their placeholders. */
export class Values {
  readonly all: unknown[] = [];

  readonly bind: Bind = (value, kind) => {
    return this.take(columnValue(value, kind));
  };

  /** @param value as a column takes it */
  take(value: unknown): string {
    this.all.push(value);
    return '?';
  }

  bindText(text: string): string {
    return this.bind(text, 'code');
  }
}

/** How these engines take a value of ours. */
export function columnValue(value: unknown, kind: FieldKind): unknown {
  if (kind === 'boolean') return Number(value);
  if (kind === 'json') return JSON.stringify(value);
  if (kind === 'time') return columnTime(String(value));
  return kind === 'id' ? String(value).toLowerCase() : value;
}

/** A time of ours as a column takes it. Stored times have milliseconds, and as texts they are in order too. */
export function columnTime(utc: string): string {
  const finer = utc.slice(23, -1).replace(/0+$/, '');
  return `${utc.slice(0, 23).replace('T', ' ')}${finer}`;
}

/** The time of the wire, of what `timeText` gave. */
export function wireTime(text: unknown): string {
  return `${String(text).replace(' ', 'T')}Z`;
}

/** Lists of values, one placeholder for each. */
export const lists: Pick<Dialect, 'anyOf' | 'noneOf'> = {
  anyOf: (value, values, kind, bind) =>
    values.length > 0 ? `${value} IN (${values.map((each) => bind(each, kind)).join(', ')})` : 'false',
  noneOf: (value, values, kind, bind) =>
    values.length > 0 ? `${value} NOT IN (${values.map((each) => bind(each, kind)).join(', ')})` : 'true',
};

/** As many as a power of two, by repeating the last one: so few texts of statements do for any number. */
export function padded<Item>(items: readonly Item[]): Item[] {
  const count = 2 ** Math.ceil(Math.log2(items.length || 1));
  return Array.from({ length: count }, (_, index) => items[Math.min(index, items.length - 1)] as Item);
}
