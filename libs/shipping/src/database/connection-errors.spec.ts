import { describe, expect, it } from 'vitest';
import {
  connectionError,
  contentionOf,
  isDuplicate,
  isShardError,
  isReferenced,
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
    ['ER_NO_REFERENCED_ROW_2', false],
    ['23505', false],
  ])('with the code %s means that a row is referenced: %s', (code, isReference) => {
    expect(isReferenced({ code }, 'ours')).toBe(isReference);
  });

  it.each([
    ['08001', true],
    ['08006', true],
    ['57P01', true],
    ['57P02', true],
    ['57014', false],
    ['ECONNREFUSED', false],
    ['x08006', false],
  ])('with the code %s may concern only one shard: %s', (code, isOfShard) => {
    expect(isShardError(connectionError({ code, message: '' }))).toBe(isOfShard);
  });

  it('of a foreign key of our own table does not mean that a row is referenced', () => {
    expect(isReferenced({ code: '23503', table: 'theirs' }, 'ours')).toBe(true);
    expect(isReferenced({ driverError: { code: '23503', table: 'ours' } }, 'ours')).toBe(false);
  });

  it('of a trigger of SQLite means that a row is referenced only when it says so', () => {
    const refused = (message: string) =>
      Object.assign(new Error(message), { code: 'SQLITE_CONSTRAINT_TRIGGER' });

    expect(isReferenced(refused('FOREIGN KEY constraint failed'), 'ours')).toBe(true);
    expect(isReferenced(refused('The host says no'), 'ours')).toBe(false);
  });

  it.each([
    ['ER_DUP_ENTRY', "Duplicate entry 'p-ups-03' for key 'uq_codes'", true],
    ['ER_DUP_ENTRY', "'p-ups-03' は索引 'uq_codes' で重複しています。", true],
    ['ER_DUP_ENTRY', "Duplicate entry 'uq_codes' for key 'labels'", false],
    ['ER_DUP_ENTRY', "Duplicate entry 'p-ups-03' for key 'uq_codes_2'", false],
    ['SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: t.project_id, t.method_code', true],
    ['SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: t.project_id, t.label', false],
  ])('with the code %s and the message «%s» is a duplicate of this index: %s', (code, message, isOurs) => {
    const error = Object.assign(new Error(message), { code });

    expect(isDuplicate(error, 'uq_codes', 'method_code')).toBe(isOurs);
  });

  it.each([
    ['23505', 'uq_codes', true],
    ['23505', 'shop_uq_codes', true],
    ['23505', 'labels', false],
    ['23503', 'uq_codes', false],
  ])('of PostgreSQL, %s of %s, is a duplicate in every language: %s', (code, constraint, isOurs) => {
    const message = 'doppelter Schlüsselwert verletzt »uq_codes«';

    expect(isDuplicate({ driverError: { code, constraint, message } }, 'uq_codes', 'method_code')).toBe(
      isOurs,
    );
  });
});
