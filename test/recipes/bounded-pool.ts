import { setTimeout as delay } from 'node:timers/promises';
import { type PoolConnection as Connection } from 'mysql2';
import pg from 'pg';
import { type DataSource } from 'typeorm';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/** How long a call waits for a connection. */
const acquireMs = 3_000;
/** How long a call or a transaction may keep its connection. */
const leaseMs = 4_000;
/** The server ends a statement a little before we close its connection. */
const statementMs = leaseMs - 500;

/** A wait for a lock ends before the statement does, so that the error names the lock. */
const lockMs = 3_000;

export const postgresLimits = {
  connectTimeoutMS: acquireMs,
  extra: {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: leaseMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  },
};
export const mysqlLimits = { connectTimeout: acquireMs };

/**
 * Closes each connection that is in use for longer than `leaseMs`. It must not go back into the pool, because a server
 * that has vanished completes neither the statement nor a ROLLBACK.
 */
export function boundLeases({ options, driver }: DataSource): void {
  if (options.type === 'postgres') boundPostgres((driver as PostgresDriver).master as pg.Pool);
  else boundMysql(driver as MysqlDriver);
}

function boundPostgres(pool: pg.Pool): void {
  // Without this listener, the process ends if PostgreSQL ends a connection just as `pg` opens it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const leases = new WeakMap<pg.PoolClient, NodeJS.Timeout>();
  pool.on('acquire', (client) => {
    const end = (): void => {
      if (!(client instanceof pg.Client)) return;
      void client.end();
      // After a statement has failed, `end` would wait until the server has rolled back.
      client.connection.stream.destroy();
    };
    leases.set(client, setTimeout(end, leaseMs));
  });
  pool.on('release', (_error, client) => clearTimeout(leases.get(client)));
}

const mysqlSessionLimits = [
  `innodb_lock_wait_timeout = ${lockMs / 1_000}`,
  // For the wait behind an `ALTER TABLE`. Otherwise MySQL keeps each session that this pool has closed.
  `lock_wait_timeout = ${lockMs / 1_000}`,
  // On MariaDB.
  `max_statement_time = ${statementMs / 1_000}`,
  // On MySQL. It ends only statements that read.
  `max_execution_time = ${statementMs}`,
];

type MysqlConnection = Connection & { stream: { destroy(): void } };

/** The pool of `mysql2` has no limit for the wait for a connection, so this function sets one. */
function boundMysql(driver: MysqlDriver): void {
  const leases = new WeakMap<MysqlConnection, NodeJS.Timeout>();
  const obtain = driver.obtainMasterConnection.bind(driver) as () => Promise<MysqlConnection>;
  driver.pool.on('release', (connection: MysqlConnection) => clearTimeout(leases.get(connection)));
  driver.obtainMasterConnection = async () => {
    const obtaining = obtain();
    const connection = await Promise.race([obtaining, delay(acquireMs, undefined, { ref: false })]);
    if (!connection) {
      obtaining.then((late) => late.release()).catch(() => undefined);
      throw new Error('No connections available.');
    }
    // A server refuses the limits that it does not know.
    if (!leases.has(connection))
      for (const limit of mysqlSessionLimits) connection.query(`SET ${limit}`, () => undefined);
    // A connection may go straight from one request to the next. The pool has no event for that.
    clearTimeout(leases.get(connection));
    const close = (): void => connection.stream.destroy();
    leases.set(connection, setTimeout(close, leaseMs));
    return connection;
  };
}
