import { type EventEmitter } from 'node:events';
import { type QueryRunner } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { DatabaseUnavailableError } from './database.errors.js';
import { type RunnerState, stateOf } from './runner-state.js';
import { withinMs } from './timers.js';

/** The state of the query runner that has used a connection of the pool last. */
const lastStates = new WeakMap<object, RunnerState>();

/** How often a call that waits for a connection looks whether the DataSource was closed. */
const closedCheckMs = 100;

/**
 * Takes a connection from the pool, outside of any transaction.
 * @throws Error when there is no connection, or it is broken
 */
export async function connectOutsideTransactions(runner: QueryRunner): Promise<void> {
  const dataSource = dataSourceOf(runner);
  // TypeORM makes a new list each time that it initializes the DataSource.
  const { entityMetadatas } = dataSource;
  const connecting: Promise<unknown> = runner.connect();
  // The pool of `pg` forgets the calls that wait for a connection when it is closed, so that they would wait for ever.
  while (!(await withinMs(connecting, closedCheckMs)))
    if (!dataSource.isInitialized || dataSource.entityMetadatas !== entityMetadatas)
      throw new Error('The DataSource was closed.');
  if (!stateOf(runner).isConnectionSound) await leaveOpenTransaction(runner);
}

/** TypeORM writes `ROLLBACK`. We write `ROLLBACK WORK`, so that our subscriber does not take it for an end. */
export const leavingStatement = 'ROLLBACK WORK';

/**
 * Rolls back the transaction that an earlier query runner has left open on this connection, for instance because a
 * subscriber of the host has failed before the ROLLBACK. Later statements would otherwise be rolled back with it.
 */
export function leaveOpenTransaction(runner: QueryRunner): Promise<void> {
  const state = stateOf(runner);
  return (state.leaving ??= leave(runner, state));
}

async function leave(runner: QueryRunner, state: RunnerState): Promise<void> {
  const connection: EventEmitter = await runner.connect();
  const last = lastStates.get(connection);
  // The server may end a connection between two statements, for instance because the transaction was idle for too long.
  // TypeORM only says that the query runner is released, so the calls of this transaction report this error.
  if (!last)
    connection.on('error', (error) =>
      lastStates.get(connection)?.open[0]?.fail(new DatabaseUnavailableError(error)),
    );
  if (last && last !== state && last.mayBeOpen) await runner.query(leavingStatement);
  lastStates.set(connection, state);
  state.isConnectionSound = true;
}
