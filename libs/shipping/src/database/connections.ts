import { type EventEmitter } from 'node:events';
import { type QueryRunner } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { DatabaseUnavailableError } from './database.errors.js';
import { type RunnerState, stateOf } from './runner-state.js';
import { withinMs } from './timers.js';

/** For each connection of the pool, the state of the query runner that has used it last. */
const lastStates = new WeakMap<object, Readonly<RunnerState>>();
/** The query runners whose connection has no open transaction of an earlier query runner. */
const soundRunners = new WeakSet<QueryRunner>();
/** The first statement of a query runner makes its connection sound. The others wait for this promise. */
const cleanups = new WeakMap<QueryRunner, Promise<void>>();

/** How often a call that waits for a connection looks whether the DataSource was closed. */
const closedCheckMs = 100;

/**
 * Takes a connection from the pool, outside of any transaction.
 * @throws DatabaseUnavailableError when there is no connection, or it is broken
 */
export async function connectSoundly(runner: QueryRunner): Promise<void> {
  const dataSource = dataSourceOf(runner);
  // TypeORM makes a new list each time that it initializes the DataSource.
  const { entityMetadatas } = dataSource;
  try {
    const connecting: Promise<unknown> = runner.connect();
    // The pool of `pg` forgets the calls that wait for a connection when it is closed. They would wait for ever.
    while (!(await withinMs(connecting, closedCheckMs)))
      if (!dataSource.isInitialized || dataSource.entityMetadatas !== entityMetadatas)
        throw new Error('The DataSource was closed.');
    if (!isConnectionSound(runner)) await rollBackAbandoned(runner);
  } catch (error) {
    // TypeORM does not wrap the error of a driver that cannot connect in a QueryFailedError.
    throw new DatabaseUnavailableError(error);
  }
}

/** The one query runner of SQLite never gives its connection to another one. */
export function isConnectionSound(runner: QueryRunner): boolean {
  return soundRunners.has(runner) || stateOf(runner).isShared;
}

/** TypeORM writes `ROLLBACK`. We write `ROLLBACK WORK`, so that our subscriber does not take it for an end. */
export const abandonedRollback = 'ROLLBACK WORK';

/**
 * Rolls back the transaction that an earlier query runner has left open on this connection, for instance because a
 * subscriber of the host has failed before the ROLLBACK. Later statements would otherwise be rolled back with it.
 */
export function rollBackAbandoned(runner: QueryRunner): Promise<void> {
  const cleanup = cleanups.get(runner) ?? cleanUp(runner);
  cleanups.set(runner, cleanup);
  return cleanup;
}

async function cleanUp(runner: QueryRunner): Promise<void> {
  const state = stateOf(runner);
  const connection: EventEmitter = await runner.connect();
  const last = lastStates.get(connection);
  // The server may end a connection between two statements, for instance because the transaction was idle for too long.
  // TypeORM only says that the query runner is released, so the calls of this transaction report this error.
  if (!last)
    connection.on('error', (error) =>
      lastStates.get(connection)?.outermost?.fail(new DatabaseUnavailableError(error)),
    );
  if (last && last !== state && last.mayBeOpen) await runner.query(abandonedRollback);
  lastStates.set(connection, state);
  soundRunners.add(runner);
}
