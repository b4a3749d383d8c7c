import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../storage.errors.js';

const notSent = /not queryable|timeout exceeded when trying to connect|Cannot use a pool after calling end/;
const broken = /Connection terminated|Connection ended|Query read timeout|socket|PGlite is (closed|closing)/i;
const brokenCodes =
  /^(08...|25P0[34]|57P0[1245]|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ERR_STREAM_.*|ERR_SOCKET_.*)$/;
const unavailableCodes =
  /^(53...|57P03|57014|25006|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/;

/** The SQLSTATE of a database error, or the code of a socket error. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code ?? '');
}

/** How another writer won: by a lock time-out, or by a serialization failure or a deadlock. */
function contentionOf(error: unknown): 'lock' | 'race' | undefined {
  if (codeOf(error) === '55P03') return 'lock';
  return /^(40001|40P01)$/.test(codeOf(error)) ? 'race' : undefined;
}

/** The connection was given back inside a failed transaction. */
export const isInFailedTransaction = (error: unknown): boolean => codeOf(error) === '25P02';

/** The same statement may well succeed now. */
export const isTransient = (error: unknown): boolean => !!contentionOf(error) || isInFailedTransaction(error);

export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === constraint;

/** 23001 is what RESTRICT raises since PostgreSQL 18. */
export const isForeignKeyViolation = (error: unknown): boolean => /^(23503|23001)$/.test(codeOf(error));

/** The statement was prepared on another connection, or changed by a migration since, and was not run. */
export const isPreparedStatementLost = (error: unknown): boolean =>
  /^(26000|42P05|0A000)$/.test(codeOf(error));

/**
 * Gives the typed error of a fault of the connection, or of a race that was lost (a deadlock, a lock time-out, a
 * serialization failure): `DatabaseUnavailableError` or `OutcomeUnknownError`, with the driver's error as `cause`. Any
 * other error comes back as it is. The services of this library throw these by themselves. For what a host does with
 * its own DataSource: `dataSource.transaction(…).catch((error) => { throw connectionError(error); })`.
 * @param mayHaveCommitted true for a statement that commits by itself and was sent; by default as in a
 * transaction, where only its COMMIT may have committed
 */
export function connectionError(error: unknown, mayHaveCommitted = isOfCommit(error)): unknown {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  const contention = contentionOf(error);
  if (contention) return new DatabaseUnavailableError(error, contention);
  if (isReleased(error) || notSent.test(message) || unavailableCodes.test(code))
    return new DatabaseUnavailableError(error);
  if (!broken.test(message) && !brokenCodes.test(code)) return error;
  return mayHaveCommitted ? new OutcomeUnknownError(error) : new DatabaseUnavailableError(error);
}

function isOfCommit(error: unknown): boolean {
  return error instanceof QueryFailedError && error.query === 'COMMIT';
}

/** What TypeORM throws in a transaction whose connection broke between two statements. */
function isReleased(error: unknown): boolean {
  return (
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError
  );
}
