import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { DatabaseUnavailableError, OutcomeUnknownError } from './database.errors.js';

/** The error codes of drivers and servers, by their meaning. */
const faults = {
  /** A statement has waited too long for a lock. */
  lock: /^(55P03|ER_LOCK_WAIT_TIMEOUT|ER_LOCK_NOWAIT)$/,
  /** Another writer won. The same statement may succeed now. */
  race: /^(40001|40P01|ER_LOCK_DEADLOCK|ER_CHECKREAD|SQLITE_BUSY_.*|SQLITE_LOCKED.*)$/,
  /** The server refused, and nothing was changed. 1968 and 1969: a limit was reached, a statement took too long. */
  unavailable:
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|53...|57P03|57014|25006|ER_(CON_COUNT_ERROR|USER_LIMIT_REACHED|TOO_MANY_USER_CONNECTIONS|OPTION_PREVENTS_STATEMENT|QUERY_INTERRUPTED|QUERY_TIMEOUT|STATEMENT_TIMEOUT|UNKNOWN_COM_ERROR|DISK_FULL|RECORD_FILE_FULL|READ_ONLY_MODE|CANT_EXECUTE_IN_READ_ONLY_TRANSACTION)|196[89]|SQLITE_(BUSY|FULL|IOERR.*|READONLY.*|CANTOPEN.*))$/,
  /** The connection broke. An open connection may also end with EHOSTUNREACH, after it has sent a change. */
  broken:
    /^(ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ERR_STREAM_.*|ERR_SOCKET_.*|08...|25P0[34]|57P0[1245]|PROTOCOL_CONNECTION_LOST|PROTOCOL_SEQUENCE_TIMEOUT|ER_CONNECTION_KILLED|ER_SERVER_SHUTDOWN|ER_NEW_ABORTING_CONNECTION|ER_CLIENT_INTERACTION_TIMEOUT|1927)$/,
  /** The COMMIT returned an error, but the transaction may be committed: the Galera node is cut off from the others. */
  openCommit: /^ER_ERROR_DURING_COMMIT$/,
  /** The server or TLS refuses the connection. A statement may also fail with these codes, for another reason. */
  connecting:
    /^(28...|3D000|42501|55000|ER_((DB)?ACCESS_DENIED_ERROR|ACCOUNT_HAS_BEEN_LOCKED|BAD_DB_ERROR|HOST_.*)|HANDSHAKE_.*|(ERR_TLS|UNABLE_TO|.*CERT).*)$/,
  duplicate: /^(23505|ER_DUP_ENTRY|SQLITE_CONSTRAINT_UNIQUE)$/,
  foreignKey: /^(23503|23001|ER_ROW_IS_REFERENCED(_2)?|SQLITE_CONSTRAINT_(FOREIGNKEY|TRIGGER))$/,
};
/**
 * Some driver errors have no code, so we recognise them by their messages. The message of an error with a code may contain
 * anything, such as a value that is a duplicate. An error with one of these messages means that the statement was never sent.
 */
const messagesBeforeSending =
  /^(Client .* not queryable|timeout exceeded when trying to connect|Cannot use a pool after calling end|Pool is closed|No connections available|Queue limit reached|.* connection is in closed state|.*database connection is not open)/;
/** An error with one of these messages means that the connection broke. */
const messagesOfBrokenConnections = /^(Connection terminated|PGlite is (closed|closing))/;

/**
 * Returns the code of a database error or of a socket error. On PostgreSQL it is the SQLSTATE. Some errors of mysql2 have
 * only a number.
 */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if (error instanceof DatabaseUnavailableError) return codeOf(error.cause);
  const { code, errno } = driverErrorOf(error);
  return String(code ?? errno ?? '');
}

/** The fields of driver errors that we read. */
interface DriverError {
  code?: unknown;
  errno?: unknown;
  constraint?: unknown;
  table?: unknown;
  message?: unknown;
}

function driverErrorOf(error: unknown): DriverError {
  const { driverError } = Object(error) as { driverError?: object };
  return driverError ?? (Object(error) as DriverError);
}

/**
 * Tells whether the database has refused to delete a row of ours, or to change its codes, because a row of your table
 * refers to it. The result is false if you have added a foreign key to our table, and that key is violated: PostgreSQL
 * reports this with the same code, but with the name of our table. SQLite reports a violation of ON DELETE RESTRICT as an
 * error of a trigger.
 */
export function isReferenced(error: unknown, ourTable: string): boolean {
  const isTrigger = codeOf(error) === 'SQLITE_CONSTRAINT_TRIGGER';
  if (!faults.foreignKey.test(codeOf(error)) || (isTrigger && !/FOREIGN KEY/.test(String(error))))
    return false;
  return driverErrorOf(error).table !== ourTable;
}

/**
 * Tells whether a row has the same values in this unique index already. PostgreSQL has the name of the index in a field.
 * In MariaDB's message it is the last quoted name, in each language of the server. SQLite's message ends with the columns.
 */
export function isDuplicate(error: unknown, index: string, lastColumn: string): boolean {
  if (!faults.duplicate.test(codeOf(error))) return false;
  const { constraint, message } = driverErrorOf(error);
  // An entityPrefix or the name of a partition may stand before it.
  if (constraint !== undefined) return String(constraint).endsWith(index);
  return new RegExp(`(${index}(["'][^"']*)?|\\.${lastColumn})$`).test(String(message));
}

/**
 * Tells whether PostgreSQL may have lost the connection to a shard (docs/scaling.md). Then the statement may succeed for
 * other projects.
 */
export function isShardError(error: unknown): boolean {
  return /^(08...|57P0[12])$/.test(codeOf(error));
}

/** @returns 'lock' after a lock time-out, 'race' after a deadlock or a serialization failure, otherwise undefined */
export function contentionOf(error: unknown): 'lock' | 'race' | undefined {
  if (error instanceof DatabaseUnavailableError) return error.contention;
  const code = codeOf(error);
  if (faults.lock.test(code)) return 'lock';
  return faults.race.test(code) ? 'race' : undefined;
}

/**
 * Turns an error of the database into `DatabaseUnavailableError` or `OutcomeUnknownError`, whose `cause` is the driver's
 * error. It does so if the database could not be reached or refused the connection, if the connection broke, or if another
 * writer won: a deadlock, a lock time-out or a serialization failure. It returns any other error as it is. The services of this library throw the
 * typed errors by themselves. For your own DataSource, write
 * `dataSource.transaction(…).catch((error) => { throw connectionError(error); })`. The function recognises errors by their
 * codes, and other services use the same codes. So never pass it an error of another service: if a payment ends with
 * ECONNRESET, nobody knows whether the payment was made. Nor pass it what a subscriber of yours throws after the COMMIT.
 * @param mayHaveCommitted true if the failed statement commits by itself; by default true only if the failed statement is a
 *   COMMIT
 */
export function connectionError(error: unknown, mayHaveCommitted = isCommitError(error)): unknown {
  // After a call of ours has failed, your next statement gets an error whose cause is the typed error of that call.
  const typed = [error, Object(error).cause].find(isTyped);
  if (typed) return typed;
  const kind = kindOf(error);
  switch (kind) {
    case 'lock':
    case 'race':
      return new DatabaseUnavailableError(error, kind);
    case 'notSent':
      return new DatabaseUnavailableError(error);
    case 'openCommit':
      return mayHaveCommitted ? new OutcomeUnknownError(error) : error;
    case 'broken':
      return mayHaveCommitted ? new OutcomeUnknownError(error) : new DatabaseUnavailableError(error);
    default:
      return error;
  }
}

function kindOf(error: unknown): 'lock' | 'race' | 'notSent' | 'openCommit' | 'broken' | undefined {
  const code = codeOf(error);
  const message = code === '' && error instanceof Error ? error.message : '';
  const contention = contentionOf(error);
  if (contention) return contention;
  const isReleased =
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError;
  // TypeORM wraps the error of each statement. It passes on the error of a connection as it is.
  const isConnectError =
    (Object(error) as { syscall?: unknown }).syscall === 'connect' ||
    (faults.connecting.test(code) && !(error instanceof QueryFailedError));
  if (isReleased || isConnectError || messagesBeforeSending.test(message) || faults.unavailable.test(code))
    return 'notSent';
  if (faults.openCommit.test(code)) return 'openCommit';
  return messagesOfBrokenConnections.test(message) || faults.broken.test(code) ? 'broken' : undefined;
}

function isTyped(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || error instanceof OutcomeUnknownError;
}

function isCommitError(error: unknown): boolean {
  return error instanceof QueryFailedError && error.query === 'COMMIT';
}
