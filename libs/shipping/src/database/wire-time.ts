/**
 * SQL for a time in milliseconds since 1970: cheaper for the database than a formatted one, and the same
 * whatever time zone, date style or type parsers the host has set.
 */
export function milliseconds(column: string): string {
  return `date_part('epoch', ${column}) * 1000`;
}

/** A time as the wire has it: ISO 8601, UTC, milliseconds. */
export function wireTime(time: number): string {
  return new Date(Math.round(time)).toISOString();
}
