import { type QueryRunner } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { stateOf } from './runner-state.js';
import { withinMs } from './timers.js';

/** The last query runner that was about to use a connection of the pool. */
const lastRunners = new WeakMap<object, QueryRunner>();

/** How often a call that waits for a connection looks whether the DataSource was closed. */
const closedCheckMs = 100;

/**
 * Takes a connection from the pool. TypeORM may have returned it inside of an open transaction, for instance because a
 * subscriber of the host has failed before the ROLLBACK. Later statements would then be rolled back, too.
 * @throws Error when there is no connection, or it is broken
 */
export async function connectOutsideTransactions(runner: QueryRunner): Promise<void> {
  const connection = await connect(runner);
  const last = lastRunners.get(connection);
  lastRunners.set(connection, runner);
  if (last && last !== runner && stateOf(last).open.length > 0) await runner.query('ROLLBACK');
}

/** The pool of `pg` forgets the calls that wait for a connection when it is closed, so that they would wait for ever. */
async function connect(runner: QueryRunner): Promise<object> {
  const connecting: Promise<object> = runner.connect();
  for (;;) {
    const connection = await withinMs(connecting, closedCheckMs);
    if (connection) return connection;
    if (!dataSourceOf(runner).isInitialized) throw new Error('The DataSource was closed.');
  }
}
