import pg from 'pg';

/** To a connection: to open one, or to get one that others have. */
const acquireMs = 3_000;
/** With one, whatever is done with it: a statement that hangs, or a transaction of many that are slow. */
const leaseMs = 4_000;

/** No request waits for longer than `acquireMs` and `leaseMs` together, the time limits of the statements aside. */
export const limits = {
  connectTimeoutMS: acquireMs,
  extra: {
    // A little before we give up, so that the server stops working on what nobody waits for.
    statement_timeout: leaseMs - 500,
    idle_in_transaction_session_timeout: leaseMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  },
};

/**
 * The pool of `pg`, whose connections are lent for a time only. A server that is gone does not say so, and a
 * connection to it would answer neither this statement nor the ROLLBACK after it: it is closed, not reused.
 */
class BoundedPool extends pg.Pool {
  constructor(options: pg.PoolConfig) {
    super(options);
    const leases = new WeakMap<pg.PoolClient, NodeJS.Timeout>();
    this.on('acquire', (client) => {
      leases.set(
        client,
        setTimeout(() => client instanceof pg.Client && void client.end(), leaseMs),
      );
    });
    this.on('release', (_error, client) => clearTimeout(leases.get(client)));
  }
}

/** `pg` with that pool: TypeORM's `driver`. */
export const boundedDriver = { ...pg, Pool: BoundedPool };
