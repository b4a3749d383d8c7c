import { describe, expect, it } from 'vitest';
import { connectionError } from '../connection-errors.js';

describe('an error of MariaDB', () => {
  it.each([
    // A node of Galera that is cut off from the others gives it, and these may have committed.
    ['ER_ERROR_DURING_COMMIT', 'outcome_unknown', 'ER_ERROR_DURING_COMMIT'],
    ['ER_CONNECTION_KILLED', 'outcome_unknown', 'database_unavailable'],
    ['ER_UNKNOWN_COM_ERROR', 'database_unavailable', 'database_unavailable'],
    ['ER_LOCK_DEADLOCK', 'database_unavailable', 'database_unavailable'],
  ])('%s of a COMMIT is %s, and of a statement before it %s', (code, ofCommit, before) => {
    expect(connectionError({ code }, true)).toMatchObject({ code: ofCommit });
    expect(connectionError({ code }, false)).toMatchObject({ code: before });
  });
});
