import pg from 'pg';

/** How long a request waits for a connection, new or released by another request. */
const acquireMs = 3_000;
/** How long it may keep the connection: for one statement that hangs, or for many that are slow. */
const leaseMs = 4_000;

/** No request waits for longer than both times together. */
export const limits = {
  connectTimeoutMS: acquireMs,
  extra: {
    // The server stops a little before we do, because after that nobody waits for its answer.
    statement_timeout: leaseMs - 500,
    idle_in_transaction_session_timeout: leaseMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  },
};

/**
 * Closes each connection that is in use for longer than `leaseMs`. Its server may have gone without a word. Then it
 * would answer neither this statement nor the ROLLBACK after it, so it must not go back into the pool.
 */
export function boundLeases(pool: pg.Pool): void {
  const leases = new WeakMap<pg.PoolClient, NodeJS.Timeout>();
  pool.on('acquire', (client) => {
    const end = (): void => void (client instanceof pg.Client && client.end());
    leases.set(client, setTimeout(end, leaseMs));
  });
  pool.on('release', (_error, client) => clearTimeout(leases.get(client)));
}
