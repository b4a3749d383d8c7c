import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TypeORMError,
} from 'typeorm';
import { ShippingHttpError } from '../problems/shipping-http.error.js';
import { DatabaseUnavailableError, FailedTransactionError, OutcomeUnknownError } from './database.errors.js';
import { type Dialect, type DriverError, type ErrorMeaning } from './dialects/dialect.js';
import { dialects } from './dialects/dialects.js';

/** The codes of Node.js, for all drivers. */
const socketErrors: Dialect['errorCodes'] = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'refused', // the name of the host is unknown
  EAI_AGAIN: 'refused', // the name of the host cannot be looked up now
  'ERR_TLS*': 'refusedWhenConnecting',
  'UNABLE_TO*': 'refusedWhenConnecting', // the certificate cannot be verified
  'CERT_*': 'refusedWhenConnecting',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'refusedWhenConnecting',
  SELF_SIGNED_CERT_IN_CHAIN: 'refusedWhenConnecting',
  'ERR_SSL_*': 'broken', // the TLS connection received something that TLS does not allow
  EPROTO: 'broken',
  'ERR_STREAM_*': 'broken',
  'ERR_SOCKET_*': 'broken',
  ECONNRESET: 'broken',
  ECONNABORTED: 'broken',
  // Node.js has seen the end of the connection, and has sent nothing.
  'EPIPE This socket has been ended by the other party*': 'refused',
  'EPIPE*': 'broken',
  ETIMEDOUT: 'broken',
  EHOSTUNREACH: 'broken', // an open connection may also end with it, after it has sent a change
  EHOSTDOWN: 'broken',
  ENETUNREACH: 'broken',
  ENETDOWN: 'broken',
};

const codes = new Map(
  [socketErrors, ...dialects.map(({ errorCodes }) => errorCodes)].flatMap((each) => Object.entries(each)),
);
const families = [...codes].filter(([code]) => code.endsWith('*'));
const messages = new Map(dialects.flatMap(({ errorMessages }) => Object.entries(errorMessages)));

/** @returns the meaning of an error of a driver, a server or a socket; undefined for any other error */
function meaningOf(error: unknown): ErrorMeaning | undefined {
  const code = codeOf(error);
  const { message } = driverErrorOf(error);
  if (code !== '') {
    const codeAndMessage = `${code} ${String(message)}`;
    return (
      codes.get(code) ?? families.find(([family]) => codeAndMessage.startsWith(family.slice(0, -1)))?.[1]
    );
  }
  // An error with a code may contain any text in its message, such as a value that is a duplicate.
  return [...messages].find(([beginning]) => String(message).startsWith(beginning))?.[1];
}

/**
 * Returns the code of a database error or of a socket error. On PostgreSQL it is the SQLSTATE. Some errors of mysql2
 * have only a number.
 */
function codeOf(error: unknown): string {
  const { code, errno } = driverErrorOf(error);
  return String(code ?? errno ?? '');
}

function driverErrorOf(error: unknown): DriverError {
  const { driverError = error } = Object(error) as { driverError?: unknown };
  return Object(driverError) as DriverError;
}

/**
 * Tells whether the database has refused to remove a row of ours, or to change its codes, because a row of your table
 * refers to it.
 */
export function isReferenced(error: unknown, ourTable: string): boolean {
  const { table, message } = driverErrorOf(error);
  // PostgreSQL names our table if we have violated a foreign key that you have added to our table. Citus names no table.
  const isOurs = table === ourTable || String(message).startsWith('insert or update on table');
  return meaningOf(error) === 'foreignKey' && !isOurs;
}

/**
 * Tells whether a row has the same values in a unique index already.
 * @param index a part of its name, which the drivers put in the message; by default any index
 */
export function isDuplicate(error: unknown, index = ''): boolean {
  return meaningOf(error) === 'duplicate' && String(driverErrorOf(error).message).includes(index);
}

/** Tells whether the error of a statement has ended the whole transaction, with its savepoints, on the server. */
export function endsTransaction(error: unknown, { lostRaceEndsTransaction }: Dialect): boolean {
  const meaning = meaningOf(error);
  return meaning === 'race' ? lostRaceEndsTransaction : meaning === 'broken';
}

/**
 * Turns an error of the database into `DatabaseUnavailableError` or `OutcomeUnknownError`, whose `cause` is the
 * driver's error. It does so if the database could not be reached, if it refused the connection or the statement (for
 * instance because of a time-out, a full disk or a read-only server), if the connection broke, if a lock was not free in
 * time, or if another writer won: a deadlock or a serialization failure. For a `FailedTransactionError` it returns the
 * one of these two that caused it. It returns any other error as it is.
 *
 * The services of this library throw the typed errors by themselves. This function is for your own statements.
 *
 * The function recognises errors by their codes, and other services use the same codes. So never pass it an error of
 * another service: if a payment ends with ECONNRESET, nobody knows whether the payment was made. Also do not pass it an
 * error that your subscriber throws after the COMMIT: the change is made.
 * @param options `mayHaveCommitted`: true if the failed statement commits by itself. By default, it is true only if the
 *   failed statement is a COMMIT.
 * @example
 * await dataSource.transaction(placeOrder).catch((error) => {
 *   throw toShippingError(error);
 * });
 */
export function toShippingError(
  error: unknown,
  { mayHaveCommitted = isCommitError(error) }: { mayHaveCommitted?: boolean | undefined } = {},
): unknown {
  const cause = error instanceof FailedTransactionError ? error.cause : error;
  if (cause instanceof DatabaseUnavailableError || cause instanceof OutcomeUnknownError) return cause;
  const meaning = wasNeverSent(error) ? 'refused' : meaningOf(error);
  if (mayHaveCommitted && (meaning === 'broken' || meaning === 'openCommit'))
    return new OutcomeUnknownError(error);
  if (meaning === 'lock' || meaning === 'race') return new DatabaseUnavailableError(error, meaning);
  return meaning === 'refused' || meaning === 'broken' ? new DatabaseUnavailableError(error) : error;
}

/**
 * Types an error of TypeORM or of this library. Any other error comes from code of the host, and callers get it
 * unchanged, even if a connection to another service broke.
 * @param mayHaveCommitted as in `toShippingError`
 */
export function typedOwnError(error: unknown, mayHaveCommitted?: boolean): unknown {
  const mayBeTyped =
    error instanceof TypeORMError ||
    error instanceof ShippingHttpError ||
    error instanceof FailedTransactionError;
  return mayBeTyped ? toShippingError(error, { mayHaveCommitted }) : error;
}

/** Tells whether there was no connection on which the statement could be sent. */
function wasNeverSent(error: unknown): boolean {
  const isReleased =
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError;
  const isSocketError = (Object(error) as { syscall?: unknown }).syscall === 'connect';
  // TypeORM wraps the error of each statement. It passes on the error of a connection as it is.
  const isRefused = meaningOf(error) === 'refusedWhenConnecting' && !(error instanceof QueryFailedError);
  return isReleased || isSocketError || isRefused;
}

function isCommitError(error: unknown): boolean {
  return error instanceof QueryFailedError && error.query === 'COMMIT';
}
