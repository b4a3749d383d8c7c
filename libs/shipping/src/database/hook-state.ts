import { AsyncLocalStorage } from 'node:async_hooks';
import { type DataSource } from 'typeorm';
import { onePerDataSource } from './one-per-data-source.js';

const stateOf = onePerDataSource(() => new AsyncLocalStorage<{ isRunning: boolean }>());

/** Runs `onChange` or `onEvent`, so that `isInsideHook` recognises the code that it calls. */
export async function runAsHook(dataSource: DataSource, hook: () => Promise<void>): Promise<void> {
  const state = { isRunning: true };
  try {
    await stateOf(dataSource).run(state, hook);
  } finally {
    // Code that the hook has started and not awaited runs on, and is no longer inside of it.
    state.isRunning = false;
  }
}

/** Returns whether the code that asks was called by an `onChange` or `onEvent` that has not ended. */
export function isInsideHook(dataSource: DataSource): boolean {
  return stateOf(dataSource).getStore()?.isRunning ?? false;
}
