import { createHash } from 'node:crypto';
import { utcTime } from '../validation/time.js';
import { type Violations } from '../validation/violations.js';
import { type EventPosition, type EventScope } from './event-rows.js';

/**
 * The input that a call of `page()` and the calls for its next pages have in common. A cursor is valid only for this input.
 */
export interface EventPages extends Required<EventScope> {
  /** Each type once; undefined: all types. */
  types: readonly string[] | undefined;
  newestFirst: boolean;
}

const cursorPattern = /^(\S{24}) (\d{1,16}) (\S{8})$/;

/** @param position the position of the last event of a page */
export function cursorOf(pages: EventPages, position: EventPosition): string {
  const { occurred_at, seq } = position;
  return Buffer.from(`${occurred_at} ${seq} ${hashOf(pages)}`).toString('base64url');
}

/** @returns the position in the cursor; undefined when there is no cursor */
export function positionOfCursor(
  violations: Violations,
  pages: EventPages,
  cursor: string | undefined,
): EventPosition | undefined {
  if (cursor === undefined) return undefined;
  const refuse = violations.at({ parameter: 'cursor' });
  const [, occurred_at = '', seq, hash] =
    cursorPattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const isPosition = utcTime(occurred_at) === occurred_at && Number.isSafeInteger(Number(seq));
  if (!isPosition) refuse('format', 'cursor must be the "next" of a page.');
  // The hash is compared only if the input is valid.
  else if (!violations.any && hash !== hashOf(pages))
    refuse(
      'not_allowed',
      'cursor comes from a page with another order, types or newestFirst. Use the same query.',
    );
  return { occurred_at, seq };
}

/** Returns a hash of the input. A cursor has the hash, so that a cursor of another input is refused. */
function hashOf({ projectId, orderId, types, newestFirst }: EventPages): string {
  const identity = JSON.stringify([projectId, orderId, types?.toSorted() ?? null, newestFirst]);
  return createHash('sha256').update(identity).digest('base64url').slice(0, 8);
}
