import { describe, expect, it } from 'vitest';
import {
  isForeignKeyViolation,
  isPreparedStatementLost,
  isTransient,
  isUniqueViolation,
} from './database.errors.js';

const kinds = { isForeignKeyViolation, isPreparedStatementLost, isTransient, isUniqueViolation };

describe('an error of the database', () => {
  it.each<[code: string, kind?: keyof typeof kinds]>([
    ['40001', 'isTransient'],
    ['40P01', 'isTransient'],
    ['55P03', 'isTransient'],
    ['23505', 'isUniqueViolation'],
    ['23503', 'isForeignKeyViolation'],
    ['23001', 'isForeignKeyViolation'],
    ['26000', 'isPreparedStatementLost'],
    ['42P05', 'isPreparedStatementLost'],
    ['0A000', 'isPreparedStatementLost'],
    ['42601'],
    ['P0001'],
    ['26000x'],
    ['x42P05'],
  ])('%s is %s alone', (code, kind) => {
    for (const error of [{ code }, { driverError: { code } }, { code: 'other', driverError: { code } }]) {
      const found = Object.entries(kinds).flatMap(([name, is]) => (is(error) ? name : []));
      expect(found).toEqual(kind ? [kind] : []);
    }
  });

  it.each([undefined, null, 'no error', 7, {}])('is never %j', (error) => {
    expect(Object.values(kinds).map((is) => is(error))).toEqual([false, false, false, false]);
  });
});
