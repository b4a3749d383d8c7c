import { type EngineErrors } from '../engine-errors.js';

/** SQLite answers in this process: no statement is ever on its way. */
export const sqliteErrors: Omit<EngineErrors, 'broken' | 'brokenMessages' | 'lock'> = {
  race: /^SQLITE_(BUSY_|LOCKED)/,
  // BUSY comes after the `timeout` of better-sqlite3, in which the whole process stands still.
  unavailable: /^SQLITE_(BUSY$|FULL|IOERR|READONLY|CANTOPEN)/,
  notSentMessages: /database connection is not open/,
};
