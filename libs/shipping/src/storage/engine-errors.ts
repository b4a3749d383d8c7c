/** What an engine and its driver call the faults of a connection. */
export interface EngineErrors {
  /** Codes: a lock was waited for too long. */
  lock: RegExp;
  /** Codes: another writer won, and the same statement may well succeed now. */
  race: RegExp;
  /** Codes: the server refused, and nothing was changed. */
  unavailable: RegExp;
  /** Codes: the connection broke. */
  broken: RegExp;
  /** Codes: of a COMMIT, it may have happened. They say nothing of other statements. */
  openCommit?: RegExp;
  /** Messages of drivers, which have no code: the statement was not sent. */
  notSentMessages: RegExp;
  /** Messages of drivers: the connection broke. */
  brokenMessages: RegExp;
}

/** The code of a database error (PostgreSQL's is the SQLSTATE, mysql2 has a number for some), or of a socket error. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { driverError } = error as { driverError?: object };
  const { code, errno } = (driverError ?? error) as { code?: unknown; errno?: unknown };
  return String(code ?? errno ?? '');
}
