import { utcTime } from '../validation/time.js';

/** The position of an event in the history of its order: its columns, as a row has them. */
export interface EventPosition {
  occurred_at: string;
  seq: string | number;
}

// A cursor names only a position: the time and the number of an event. In another order, or in the other direction, the
// page begins at that position.

const cursorPattern = /^(\S{24}) (\d{1,16})$/;

/** @param position the position of the last event of a page */
export function cursorOf({ occurred_at, seq }: EventPosition): string {
  return Buffer.from(`${occurred_at} ${seq}`).toString('base64url');
}

/** @returns undefined if the text is not a cursor */
export function positionOf(cursor: string): EventPosition | undefined {
  const [, occurred_at = '', seq = ''] =
    cursorPattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const isPosition = utcTime(occurred_at) === occurred_at && Number.isSafeInteger(Number(seq));
  return isPosition ? { occurred_at, seq } : undefined;
}
