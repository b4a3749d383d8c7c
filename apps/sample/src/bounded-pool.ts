import { setTimeout as delay } from 'node:timers/promises';
import { type PoolConnection as Connection } from 'mysql2';
import pg from 'pg';
import { type DataSource } from 'typeorm';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/** How long a request waits for a connection, new or released by another request. */
const acquireMs = 3_000;
/** How long it may keep the connection: for one statement that hangs, or for many that are slow. */
const leaseMs = 4_000;
/** The server stops a little before we do, because after that nobody waits for its answer. */
const statementMs = leaseMs - 500;

/** No request waits for longer than both times together. */
export const postgresLimits = {
  connectTimeoutMS: acquireMs,
  extra: {
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: leaseMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  },
};
export const mysqlLimits = { connectTimeout: acquireMs };

/**
 * Closes each connection that is in use for longer than `leaseMs`. Its server may have gone without a word. Then it
 * would answer neither this statement nor the ROLLBACK after it, so it must not go back into the pool.
 */
export function boundLeases({ options, driver }: DataSource): void {
  if (options.type === 'postgres') boundPostgres((driver as PostgresDriver).master as pg.Pool);
  else boundMysql(driver as MysqlDriver, options.type === 'mariadb');
}

function boundPostgres(pool: pg.Pool): void {
  const leases = new WeakMap<pg.PoolClient, NodeJS.Timeout>();
  pool.on('acquire', (client) => {
    const end = (): void => {
      if (!(client instanceof pg.Client)) return;
      void client.end();
      // After a statement has failed, `end` waits for a server that still rolls back.
      client.connection.stream.destroy();
    };
    leases.set(client, setTimeout(end, leaseMs));
  });
  pool.on('release', (_error, client) => clearTimeout(leases.get(client)));
}

type MysqlConnection = Connection & { stream: { destroy(): void } };

/** The pool of `mysql2` has no time for getting a connection. The server's limits are set on each connection. */
function boundMysql(driver: MysqlDriver, isMariadb: boolean): void {
  const leases = new WeakMap<MysqlConnection, NodeJS.Timeout>();
  const obtain = driver.obtainMasterConnection.bind(driver) as () => Promise<MysqlConnection>;
  const ofStatements = isMariadb ? `, max_statement_time = ${statementMs / 1_000}` : '';
  driver.pool.on('release', (connection: MysqlConnection) => clearTimeout(leases.get(connection)));
  driver.obtainMasterConnection = async () => {
    const obtaining = obtain();
    const connection = await Promise.race([obtaining, delay(acquireMs, undefined, { ref: false })]);
    if (!connection) {
      obtaining.then((late) => late.release()).catch(() => undefined);
      throw new Error('No connections available.');
    }
    const limits = `SET innodb_lock_wait_timeout = 3${ofStatements}`;
    if (!leases.has(connection)) connection.query(limits, () => undefined);
    // No event tells that a connection went straight to the next request.
    clearTimeout(leases.get(connection));
    const close = (): void => connection.stream.destroy();
    leases.set(connection, setTimeout(close, leaseMs));
    return connection;
  };
}
