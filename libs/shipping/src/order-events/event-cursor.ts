import { createHash } from 'node:crypto';
import { utcTime } from '../validation/time.js';
import { type Violations } from '../validation/violations.js';
import { type EventPlace, type EventsOf } from './event-rows.js';

/** The pages that a cursor leads through. */
export interface EventPages extends Required<EventsOf> {
  /** Each type once; undefined: all types. */
  types: readonly string[] | undefined;
  newestFirst: boolean;
}

const decoded = /^(\S{24}) (\d{1,16}) (\S{8})$/;

/** @param place of the last event of the page before */
export function cursorOf(pages: EventPages, { occurred_at, seq }: EventPlace): string {
  return Buffer.from(`${occurred_at} ${seq} ${markOf(pages)}`).toString('base64url');
}

/** @returns the place that the cursor holds; undefined for the first page, and for a cursor with a violation */
export function placeAt(
  violations: Violations,
  pages: EventPages,
  cursor: string | undefined,
): EventPlace | undefined {
  if (cursor === undefined) return undefined;
  const refuse = violations.at({ parameter: 'cursor' });
  const [, occurred_at = '', seq, mark] = decoded.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const isPlace = utcTime(occurred_at) === occurred_at && Number.isSafeInteger(Number(seq));
  if (!isPlace) refuse('format', 'cursor must be the "next" of a page.');
  // Without valid parameters, nobody knows whether they are those of the page before.
  else if (!violations.any && mark !== markOf(pages))
    refuse('not_allowed', 'cursor is of a page with another order, types or newestFirst.');
  return { occurred_at, seq };
}

/** Tells apart the pages of different calls. Nothing depends on it but an early error. */
function markOf({ projectId, orderId, types, newestFirst }: EventPages): string {
  const identity = JSON.stringify([projectId, orderId, types?.toSorted() ?? null, newestFirst]);
  return createHash('sha256').update(identity).digest('base64url').slice(0, 8);
}
