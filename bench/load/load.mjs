import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onExit, stop } from '../processes.mjs';

/** @returns a function that gives the load generator one job at a time, and returns its measurements */
export function startGenerator() {
  const child = fork(fileURLToPath(new URL('generator.mjs', import.meta.url)));
  onExit(() => stop(child));
  return async (job) => {
    child.send(job);
    const [{ measured, failed }] = await once(child, 'message');
    if (failed) throw new Error(failed);
    return measured;
  };
}
