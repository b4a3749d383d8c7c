import { ConflictException } from '@nestjs/common';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { describe, expect, it } from 'vitest';
import { toShippingError, isReferenced } from './driver-errors.js';
import { DatabaseUnavailableError, FailedTransactionError, OutcomeUnknownError } from './database.errors.js';

const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });
const failed = (query: string, cause: Error): Error => new QueryFailedError(query, [], cause);
const gone = new Error('Connection terminated unexpectedly');

describe('toShippingError()', () => {
  it('returns the error of a call of ours that has made a later statement of the host fail', () => {
    const first = new DatabaseUnavailableError(coded('40P01'), 'race');

    expect(toShippingError(new FailedTransactionError(first))).toBe(first);
  });

  it('returns an error of the host unchanged, whatever its cause is', () => {
    const own = new ConflictException('busy', {
      cause: new DatabaseUnavailableError(coded('40P01'), 'race'),
    });

    expect(toShippingError(own)).toBe(own);
  });

  it.each<[string, unknown]>([
    ['a server that refuses connections', coded('ECONNREFUSED')],
    ['a host name that cannot be resolved', coded('EAI_AGAIN')],
    ['a host without a route to it', Object.assign(coded('EHOSTUNREACH'), { syscall: 'connect' })],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    [
      'a connection that broke earlier',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['a connection that was closed earlier', new Error('Client was closed and is not queryable')],
    [
      'a connection that the server has closed',
      failed('COMMIT', coded('EPIPE', 'This socket has been ended by the other party')),
    ],
    ['a pool that is closed', new Error('Cannot use a pool after calling end on the pool')],
    ['a connection that TypeORM has released', new QueryRunnerAlreadyReleasedError()],
    ['a manager whose connection TypeORM has released', new QueryRunnerProviderAlreadyReleasedError()],
    ['too many connections', coded('53300')],
    ['a full disk', failed('INSERT', coded('53100'))],
    ['a server that is starting up', coded('57P03')],
    ['a statement that took too long', failed('INSERT', coded('57014'))],
    ['a primary that became a standby', failed('INSERT', coded('25006'))],
    ['a serialization failure', failed('COMMIT', coded('40001'))],
    ['a deadlock', failed('UPDATE', coded('40P01'))],
    ['a wait for a lock that took too long', failed('UPDATE', coded('55P03'))],
    ['a deadlock on MariaDB', failed('UPDATE', coded('ER_LOCK_DEADLOCK'))],
    ['a node of Galera that is cut off', failed('UPDATE', coded('ER_UNKNOWN_COM_ERROR'))],
    ['a pool of MariaDB that is closed', new Error('Pool is closed.')],
    ['a closed file of SQLite', failed('SELECT', new TypeError('The database connection is not open'))],
    ['a database that accepts no connections', coded('55000')],
    ['a password that has changed', coded('28P01')],
    ['a role that may not log in', coded('28000')],
    ['a database that is missing', coded('3D000')],
    ['a role that may not connect', coded('42501')],
    ['a password on MariaDB that has changed', coded('ER_ACCESS_DENIED_ERROR')],
    ['a password for MariaDB that is missing', coded('ER_ACCESS_DENIED_NO_PASSWORD_ERROR')],
    ['a database of MariaDB that is missing', coded('ER_BAD_DB_ERROR')],
    ['a certificate that has expired', coded('CERT_HAS_EXPIRED')],
    ['a PgBouncer without a server', failed('INSERT', coded('08P01', 'pgbouncer cannot connect to server'))],
    [
      'a PgBouncer that waits before it connects again',
      failed('INSERT', coded('08P01', 'server login has been failing, try again later (server_login_retry)')),
    ],
    ['a PgBouncer whose servers are all in use', failed('INSERT', coded('08P01', 'query_wait_timeout'))],
    ['a PgBouncer with too many clients', coded('08P01', 'no more connections allowed (max_client_conn)')],
  ])('gives DatabaseUnavailableError for %s, even in a write', (_what, error) => {
    expect(toShippingError(error, { mayHaveCommitted: true })).toBeInstanceOf(DatabaseUnavailableError);
    expect(toShippingError(error)).toMatchObject({ code: 'database_unavailable', cause: error });
  });

  it.each<[string, Error]>([
    ['a connection that breaks', gone],
    ['a connection that is reset', coded('ECONNRESET')],
    ['a connection that is reset while a statement is sent', coded('EPIPE', 'write EPIPE')],
    ['a host that disappears from the network', coded('EHOSTUNREACH', 'read EHOSTUNREACH')],
    ['a network that goes down', coded('ENETDOWN', 'write ENETDOWN')],
    ['a backend that is terminated', coded('57P01', 'terminating connection due to administrator command')],
    ['a server that crashes', coded('57P02')],
    ['a database that is dropped', coded('57P04')],
    ['a session that was idle for too long', coded('57P05')],
    ['a transaction that was idle for too long', coded('25P03')],
    ['a transaction that took too long', coded('25P04')],
    ['a connection exception', coded('08006')],
    ['a server that PgBouncer loses', coded('08P01', 'server conn crashed?')],
    ['a worker of Citus that is lost', coded('XX000', 'failure on connection marked as essential: 10.0.0.2')],
    ['a worker of Citus that is lost behind TLS', coded('XX000', 'SSL SYSCALL error: EOF detected')],
    ['a coordinator of Citus that is killed', coded('XX000', 'postmaster was shut down, exiting')],
    ['a TLS record that is damaged', coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')],
    ['a proxy of MySQL that loses its server', Object.assign(new Error('x'), { errno: 2013 })],
    ['a connection to MariaDB that is killed', coded('ER_CONNECTION_KILLED')],
  ])('gives OutcomeUnknownError for %s, if it may have been committed', (_what, error) => {
    expect(toShippingError(error, { mayHaveCommitted: true })).toBeInstanceOf(OutcomeUnknownError);
    expect(toShippingError(failed('COMMIT', error))).toBeInstanceOf(OutcomeUnknownError);
    expect(toShippingError(error, { mayHaveCommitted: false })).toBeInstanceOf(DatabaseUnavailableError);
    expect(toShippingError(failed('INSERT INTO desk_order', error))).toBeInstanceOf(DatabaseUnavailableError);
    expect(toShippingError(failed('START TRANSACTION', error))).toBeInstanceOf(DatabaseUnavailableError);
  });

  it.each<[string, unknown]>([
    ['a duplicate', failed('INSERT', coded('23505'))],
    ['a syntax error', failed('SELEC', coded('42601'))],
    ['a host’s own error', new TypeError('undefined is not a function')],
    ['a host’s own error', new ConflictException('The socket wrench is sold out.')],
    ['a duplicate of any text', failed('INSERT', coded('ER_DUP_ENTRY', "Duplicate entry 'Pool is closed'"))],
    ['a name that is unknown', failed('SELECT', coded('42703', 'column "socket" does not exist'))],
    ['a text of a trigger', failed('INSERT', coded('P0001', 'Connection lost'))],
    ['a sequence without a value', failed('SELECT', coded('55000'))],
    ['a statement without a permission', failed('SELECT', coded('42501'))],
    ['a table of an unknown database', failed('SELECT', coded('ER_BAD_DB_ERROR'))],
    ['an internal error of the server', failed('COMMIT', coded('XX000', 'unexpected chunk number'))],
    ['a value that is not an error', 'oops'],
    ['undefined', undefined],
  ])('returns %s as it is', (_what, error) => {
    expect(toShippingError(error, { mayHaveCommitted: true })).toBe(error);
    expect(toShippingError(error)).toBe(error);
  });

  it('gives OutcomeUnknownError for a COMMIT on a node of Galera that is cut off', () => {
    const error = coded('ER_ERROR_DURING_COMMIT');

    expect(toShippingError(failed('COMMIT', error))).toBeInstanceOf(OutcomeUnknownError);
    expect(toShippingError(failed('UPDATE', error))).toMatchObject({ driverError: error });
  });

  it('gives OutcomeUnknownError for a COMMIT during which Citus loses a worker', () => {
    const error = coded('XX000', 'could not commit transaction for shard 102046 on at least 1 active node');

    expect(toShippingError(failed('COMMIT', error))).toBeInstanceOf(OutcomeUnknownError);
  });

  it('gives errors with 503 and Retry-After, without details of the driver', () => {
    const errors = [gone, failed('COMMIT', gone)].map((error) => toShippingError(error));

    for (const error of errors) {
      expect(error).toMatchObject({
        problem: { status: 503 },
        headers: { 'Retry-After': expect.stringMatching(/^[123]$/) },
      });
      expect(JSON.stringify((error as DatabaseUnavailableError).problem)).not.toMatch(
        /terminated|COMMIT|INSERT|typeorm/,
      );
    }
  });
});

describe('Retry-After', () => {
  it('is 1, 2 or 3 seconds at random, so that clients do not return together', () => {
    const errors = Array.from({ length: 200 }, () => new DatabaseUnavailableError(gone));

    const seconds = errors.map(({ headers }) => headers['Retry-After']);

    expect(new Set(seconds)).toEqual(new Set(['1', '2', '3']));
  });
});

describe('an error of a database', () => {
  it.each([
    ['55P03', 'lock'],
    ['ER_LOCK_WAIT_TIMEOUT', 'lock'],
    ['ER_LOCK_NOWAIT', 'lock'],
    ['40001', 'race'],
    ['40P01', 'race'],
    ['ER_LOCK_DEADLOCK', 'race'],
    ['SQLITE_BUSY_SNAPSHOT', 'race'],
    ['23505', undefined],
    ['x40001', undefined],
  ])('with the code %s is contention of the kind %s', (code, kind) => {
    for (const error of [{ code }, { driverError: { code } }, { code: 'other', driverError: { code } }]) {
      const { contention } = toShippingError(error) as Partial<DatabaseUnavailableError>;
      expect(contention).toBe(kind);
    }
  });

  it('about a shard that Citus has divided meanwhile is a lost race', () => {
    const error = coded('XX000', 'could not find valid entry for shard 102413');

    expect(toShippingError(failed('SELECT', error))).toMatchObject({ contention: 'race' });
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

  it('of a foreign key of our own table does not mean that a row is referenced', () => {
    expect(isReferenced({ code: '23503', table: 'theirs' }, 'ours')).toBe(true);
    expect(isReferenced({ driverError: { code: '23503', table: 'ours' } }, 'ours')).toBe(false);
    const ofCitus =
      'insert or update on table "ours_102046" violates foreign key constraint "fk_carrier_102046"';
    expect(isReferenced({ code: '23503', message: ofCitus }, 'ours')).toBe(false);
  });

  it('of a trigger of SQLite means that a row is referenced only when it says so', () => {
    const refused = (message: string) =>
      Object.assign(new Error(message), { code: 'SQLITE_CONSTRAINT_TRIGGER' });

    expect(isReferenced(refused('FOREIGN KEY constraint failed'), 'ours')).toBe(true);
    expect(isReferenced(refused('The host says no'), 'ours')).toBe(false);
  });
});
