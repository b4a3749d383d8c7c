import { problemDetails, ShippingException } from '../shipping.exception.js';

const retryAfter = { 'Retry-After': '1' };

/** The database could not be reached or did not finish in time. Nothing was changed: try again. */
export class DatabaseUnavailableError extends ShippingException {
  override readonly headers = retryAfter;

  constructor(cause: unknown) {
    const detail = 'The database is not available now; nothing was changed. Try again.';
    super(problemDetails(503, 'database_unavailable', 'Database unavailable', detail), { cause });
  }
}

/** The connection broke while a change was on its way: it may or may not have happened. Look before retrying. */
export class OutcomeUnknownError extends ShippingException {
  override readonly headers = retryAfter;

  constructor(cause: unknown) {
    const detail =
      'The connection to the database broke around the commit: the change may or may not have happened. Look before you try again.';
    super(problemDetails(503, 'outcome_unknown', 'Outcome unknown', detail), { cause });
  }
}

const notSent = /not queryable|timeout exceeded when trying to connect|Cannot use a pool after calling end/;
const broken = /Connection terminated|Connection ended|Query read timeout|socket|PGlite is (closed|closing)/i;
const brokenCodes = /^(08...|57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT|ERR_STREAM_.*|ERR_SOCKET_.*)$/;
const unavailableCodes =
  /^(53...|57P03|57014|25006|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const transientCodes = new Set(['40001', '40P01', '55P03']);

/** The SQLSTATE of a database error, or the code of a socket error. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, driverError } = error as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code ?? '');
}

/** Serialization failure, deadlock or lock timeout: the same statement may well succeed now. */
export function isTransient(error: unknown): boolean {
  return transientCodes.has(codeOf(error));
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

export function isForeignKeyViolation(error: unknown): boolean {
  // 23001 is what RESTRICT raises since PostgreSQL 18.
  return codeOf(error) === '23503' || codeOf(error) === '23001';
}

/**
 * The typed error of a fault of the connection; any other error comes back as it is.
 * @param mayHaveCommitted true for a statement that commits by itself and was sent
 */
export function connectionError(error: unknown, mayHaveCommitted: boolean): unknown {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (notSent.test(message) || unavailableCodes.test(code)) return new DatabaseUnavailableError(error);
  if (!broken.test(message) && !brokenCodes.test(code)) return error;
  return mayHaveCommitted ? new OutcomeUnknownError(error) : new DatabaseUnavailableError(error);
}
