import { describe, expect, it } from 'vitest';
import { connectionError, contentionOf } from '../connection-errors.js';
import {
  isForeignKeyViolation,
  isInFailedTransaction,
  isPreparedStatementLost,
  isUniqueViolation,
} from './postgres.errors.js';

const kinds = { isForeignKeyViolation, isPreparedStatementLost, isInFailedTransaction, contentionOf };

describe('an error of the database', () => {
  it.each<[code: string, kind?: keyof typeof kinds]>([
    ['40001', 'contentionOf'],
    ['40P01', 'contentionOf'],
    ['25P02', 'isInFailedTransaction'],
    ['55P03', 'contentionOf'],
    ['23503', 'isForeignKeyViolation'],
    ['23001', 'isForeignKeyViolation'],
    ['26000', 'isPreparedStatementLost'],
    ['42P05', 'isPreparedStatementLost'],
    ['0A000', 'isPreparedStatementLost'],
    ['42601'],
    ['P0001'],
    ['23505'],
    ['26000x'],
    ['x42P05'],
  ])('with the code %s is of exactly this kind: %s', (code, kind) => {
    for (const error of [{ code }, { driverError: { code } }, { code: 'other', driverError: { code } }]) {
      const found = Object.entries(kinds).flatMap(([name, is]) => (is(error) ? name : []));
      expect(found).toEqual(kind ? [kind] : []);
    }
  });

  it.each([undefined, null, 'no error', 7, {}])('is not found in %j', (error) => {
    expect(Object.values(kinds).filter((is) => is(error))).toEqual([]);
  });

  it('violates a unique constraint only when it names that constraint', () => {
    const violation = { code: '23505', constraint: 'uq_codes' };

    expect(isUniqueViolation(violation, 'uq_codes')).toBe(true);
    expect(isUniqueViolation(violation, 'uq_labels')).toBe(false);
    expect(isUniqueViolation({ ...violation, code: '23503' }, 'uq_codes')).toBe(false);
  });

  it.each([
    ['55P03', 'lock'],
    ['40001', 'race'],
    ['40P01', 'race'],
    ['ECONNREFUSED', undefined],
  ])('with the code %s comes from another writer by a %s', (code, contention) => {
    const error = connectionError({ code }, true);

    expect(error).toMatchObject({ code: 'database_unavailable', contention });
  });
});
