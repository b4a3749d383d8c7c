import { type EngineErrors } from '../engine-errors.js';

/** MariaDB's and MySQL's names of errors, and those of mysql2. */
// 1927, 1968 and 1969: a connection was killed, a limit was reached, a statement took too long. mysql2 has no name for these.
export const mariadbErrors: EngineErrors = {
  lock: /^(ER_LOCK_WAIT_TIMEOUT|ER_LOCK_NOWAIT)$/,
  race: /^(ER_LOCK_DEADLOCK|ER_CHECKREAD)$/,
  unavailable:
    /^ER_(CON_COUNT_ERROR|USER_LIMIT_REACHED|TOO_MANY_USER_CONNECTIONS|OPTION_PREVENTS_STATEMENT|QUERY_INTERRUPTED|QUERY_TIMEOUT|STATEMENT_TIMEOUT|UNKNOWN_COM_ERROR|MAX_PREPARED_STMT_COUNT_REACHED|DISK_FULL|RECORD_FILE_FULL|READ_ONLY_MODE|CANT_EXECUTE_IN_READ_ONLY_TRANSACTION)$|^196[89]$/,
  broken:
    /^(PROTOCOL_CONNECTION_LOST|PROTOCOL_SEQUENCE_TIMEOUT|ER_CONNECTION_KILLED|ER_SERVER_SHUTDOWN|ER_NEW_ABORTING_CONNECTION|ER_CLIENT_INTERACTION_TIMEOUT|1927)$/,
  // A node of Galera that is cut off.
  openCommit: /^ER_ERROR_DURING_COMMIT$/,
  notSentMessages:
    /Pool is closed|No connections available|Queue limit reached|connection is in closed state|connect ETIMEDOUT/,
  brokenMessages: /Connection lost|This socket has been ended/,
};
