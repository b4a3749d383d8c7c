import { describe, expect, it } from 'vitest';
import { contentionOf, isDuplicate, isForeignKeyViolation } from './connection-errors.js';

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
});
