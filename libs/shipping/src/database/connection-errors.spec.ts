import { describe, expect, it } from 'vitest';
import {
  connectionError,
  contentionOf,
  isDuplicate,
  isForeignKeyViolation,
  isOfShard,
} from './connection-errors.js';

describe('an error of a database', () => {
  it.each([
    ['55P03', 'lock'],
    ['ER_LOCK_WAIT_TIMEOUT', 'lock'],
    ['40001', 'race'],
    ['40P01', 'race'],
    ['ER_LOCK_DEADLOCK', 'race'],
    ['SQLITE_BUSY_SNAPSHOT', 'race'],
    ['23505', undefined],
    ['x40001', undefined],
  ])('with the code %s is contention of the kind %s', (code, kind) => {
    for (const error of [{ code }, { driverError: { code } }, { code: 'other', driverError: { code } }])
      expect(contentionOf(error)).toBe(kind);
  });

  it.each([
    ['23503', true],
    ['23001', true],
    ['ER_ROW_IS_REFERENCED_2', true],
    ['SQLITE_CONSTRAINT_FOREIGNKEY', true],
    ['23505', false],
  ])('with the code %s violates a foreign key: %s', (code, isViolation) => {
    expect(isForeignKeyViolation({ code })).toBe(isViolation);
  });

  it.each([
    ['08001', true],
    ['08006', true],
    ['57P01', true],
    ['57P02', true],
    ['57014', false],
    ['ECONNREFUSED', false],
    ['x08006', false],
  ])('with the code %s may be of one shard only: %s', (code, isOne) => {
    expect(isOfShard(connectionError({ code, message: '' }))).toBe(isOne);
  });

  it('of a trigger of SQLite violates a foreign key only when it says so', () => {
    const refused = (message: string) =>
      Object.assign(new Error(message), { code: 'SQLITE_CONSTRAINT_TRIGGER' });

    expect(isForeignKeyViolation(refused('FOREIGN KEY constraint failed'))).toBe(true);
    expect(isForeignKeyViolation(refused('The host says no'))).toBe(false);
  });

  it.each([
    ['23505', 'duplicate key value violates unique constraint "uq_codes"', true],
    ['23505', 'duplicate key value violates unique constraint "labels"', false],
    ['ER_DUP_ENTRY', "Duplicate entry 'p-ups-03' for key 'uq_codes'", true],
    ['ER_DUP_ENTRY', "Duplicate entry 'uq_codes' for key 'labels'", false],
    ['SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: t.project_id, t.method_code', true],
    ['SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: t.project_id, t.label', false],
    ['23503', 'violates "uq_codes"', false],
  ])('with the code %s and the message «%s» is a duplicate of this index: %s', (code, message, isOurs) => {
    const error = Object.assign(new Error(message), { code });

    expect(isDuplicate(error, 'uq_codes', 'method_code')).toBe(isOurs);
  });

  it.each([
    // A node of Galera that is cut off from the others gives it, and the change may have been committed.
    ['ER_ERROR_DURING_COMMIT', 'outcome_unknown', 'ER_ERROR_DURING_COMMIT'],
    ['ER_CONNECTION_KILLED', 'outcome_unknown', 'database_unavailable'],
    ['ECONNRESET', 'outcome_unknown', 'database_unavailable'],
    ['57P01', 'outcome_unknown', 'database_unavailable'],
    ['ER_UNKNOWN_COM_ERROR', 'database_unavailable', 'database_unavailable'],
    ['ER_LOCK_DEADLOCK', 'database_unavailable', 'database_unavailable'],
    ['40001', 'database_unavailable', 'database_unavailable'],
    ['ECONNREFUSED', 'database_unavailable', 'database_unavailable'],
    ['42601', '42601', '42601'],
  ])('%s of a COMMIT is %s, and of a statement before it %s', (code, ofCommit, before) => {
    expect(connectionError({ code }, true)).toMatchObject({ code: ofCommit });
    expect(connectionError({ code }, false)).toMatchObject({ code: before });
  });

  it.each([
    ['timeout exceeded when trying to connect', 'database_unavailable'],
    ['Pool is closed.', 'database_unavailable'],
    ['Connection terminated unexpectedly', 'outcome_unknown'],
  ])(
    'without a code, in a statement that commits by itself, is known by its message: %s is %s',
    (message, code) => {
      expect(connectionError(new Error(message), true)).toMatchObject({ code });
    },
  );
});
