import { type EngineErrors } from '../engine-errors.js';

/** SQLite answers in this process: no statement is ever on its way. */
export const sqliteErrors: Omit<EngineErrors, 'broken' | 'brokenMessages' | 'lock'> = {
  race: /^SQLITE_(BUSY|LOCKED)/,
  unavailable: /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/,
  notSentMessages: /database connection is not open/,
};
