import { codeOf, type EngineErrors } from '../engine-errors.js';

export const postgresErrors: EngineErrors = {
  lock: /^55P03$/,
  race: /^(40001|40P01)$/,
  unavailable: /^(53...|57P03|57014|25006)$/,
  broken: /^(08...|25P0[34]|57P0[1245])$/,
  notSentMessages:
    /not queryable|timeout exceeded when trying to connect|Cannot use a pool after calling end/,
  brokenMessages:
    /Connection terminated|Connection ended|Query read timeout|socket|PGlite is (closed|closing)/i,
};

/** The connection was given back inside a failed transaction. */
export const isInFailedTransaction = (error: unknown): boolean => codeOf(error) === '25P02';

export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === constraint;

/** 23001 is what RESTRICT raises since PostgreSQL 18. */
export const isForeignKeyViolation = (error: unknown): boolean => /^(23503|23001)$/.test(codeOf(error));

/** The statement was prepared on another connection, or changed by a migration since, and was not run. */
export const isPreparedStatementLost = (error: unknown): boolean =>
  /^(26000|42P05|0A000)$/.test(codeOf(error));
