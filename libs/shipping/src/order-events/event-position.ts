import { type EntityManager } from 'typeorm';
import { dialectIn } from '../database/data-source-of.js';
import { type EventPosition } from './event-cursor.js';

/** The columns of the primary key after `project_id`, for the events of a project. */
export const orderOfProject = ['order_id', 'occurred_at', 'seq'] as const;
/** The columns of the primary key after `order_id`, for the events of an order. */
export const orderOfHistory = ['occurred_at', 'seq'] as const;

/** The columns that order the events. */
type KeyColumns = typeof orderOfProject | typeof orderOfHistory;

/** A position in the events of a project. */
export interface ProjectPosition extends EventPosition {
  order_id: string;
}

/**
 * Returns the condition that an event is on this side of a position. It says this twice:
 * `(occurred_at, seq) <= (:p_occurred_at, :p_seq)` AND
 * `(occurred_at < :p_occurred_at OR (occurred_at = :p_occurred_at AND seq <= :p_seq))`.
 * PostgreSQL and SQLite find the position in the key by the first form, MySQL and MariaDB by the second. Without its own
 * form, an engine reads every row before the position.
 * @param position the name that `positionValues` got: `p` in the example
 */
export function isBeyond(
  sign: '<' | '>' | '<=',
  position: string,
  columns: KeyColumns = orderOfHistory,
): string {
  const parameterOf = (column: string): string => `:${position}_${column}`;
  const strictSign = sign.charAt(0);
  const byColumn = columns.reduceRight((byLaterColumns, column) => {
    const parameter = parameterOf(column);
    if (byLaterColumns === '') return `${column} ${sign} ${parameter}`;
    return `(${column} ${strictSign} ${parameter} OR (${column} = ${parameter} AND ${byLaterColumns}))`;
  }, '');
  return `(${columns.join(', ')}) ${sign} (${columns.map(parameterOf).join(', ')}) AND ${byColumn}`;
}

/** Returns the values of the parameters of `isBeyond`. */
export function positionValues(
  manager: EntityManager,
  name: string,
  position: EventPosition | ProjectPosition | undefined,
): Record<string, unknown> {
  if (!position) return {};
  const { occurred_at, seq, ...others } = position;
  const values = {
    ...others,
    occurred_at: dialectIn(manager).timeParameter(occurred_at),
    seq: Number(seq),
  };
  return Object.fromEntries(Object.entries(values).map(([column, value]) => [`${name}_${column}`, value]));
}
