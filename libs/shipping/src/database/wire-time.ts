/** SQL for a time as the wire has it (ISO 8601, UTC, milliseconds), whatever type parsers the host has set. */
export function wireTime(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
