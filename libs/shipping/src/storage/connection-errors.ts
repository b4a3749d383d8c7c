import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { codeOf, type EngineErrors } from './engine-errors.js';
import { mariadbErrors } from './mariadb/mariadb.errors.js';
import { postgresErrors } from './postgres/postgres.errors.js';
import { sqliteErrors } from './sqlite/sqlite.errors.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from './storage.errors.js';

/** A connection that was open may also end with EHOSTUNREACH and its like, after it has sent a change. */
const ofSockets = {
  unavailable: /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/,
  broken:
    /^(ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ERR_STREAM_.*|ERR_SOCKET_.*)$/,
};

/** No two engines have the same code. */
const engines: readonly Partial<EngineErrors>[] = [ofSockets, postgresErrors, mariadbErrors, sqliteErrors];

function isKnown(kind: keyof EngineErrors, text: string): boolean {
  return engines.some((errors) => errors[kind]?.test(text));
}

/** How another writer won. */
export function contentionOf(error: unknown): 'lock' | 'race' | undefined {
  const code = codeOf(error);
  if (isKnown('lock', code)) return 'lock';
  return isKnown('race', code) ? 'race' : undefined;
}

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
  if (
    isReleased(error) ||
    isOfConnect(error) ||
    isKnown('notSentMessages', message) ||
    isKnown('unavailable', code)
  )
    return new DatabaseUnavailableError(error);
  if (mayHaveCommitted && isKnown('openCommit', code)) return new OutcomeUnknownError(error);
  if (!isKnown('brokenMessages', message) && !isKnown('broken', code)) return error;
  return mayHaveCommitted ? new OutcomeUnknownError(error) : new DatabaseUnavailableError(error);
}

function isOfCommit(error: unknown): boolean {
  return error instanceof QueryFailedError && error.query === 'COMMIT';
}

/** No connection was opened, so nothing was sent. */
function isOfConnect(error: unknown): boolean {
  return (Object(error) as { syscall?: unknown }).syscall === 'connect';
}

/** What TypeORM throws in a transaction whose connection broke between two statements. */
function isReleased(error: unknown): boolean {
  return (
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError
  );
}
