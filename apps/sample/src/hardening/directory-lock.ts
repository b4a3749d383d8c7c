import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { StartupError } from './startup.js';

/**
 * Locks a directory: the process listens on a socket file in it. The kernel accepts connections while the process
 * lives, and refuses them after the process was killed. If the lock of a killed process is there, do not start two
 * processes at the same moment.
 * @returns the server, which holds the lock until it is closed
 * @throws StartupError when another process of this machine has the directory
 */
export async function lockDirectory(directory: string): Promise<Server> {
  const path = join(directory, 'in-use.sock');
  // The lock alone does not keep the process running.
  const lock = createServer((socket) => socket.destroy()).unref();
  const listen = (): Promise<unknown> => once(lock.listen(path), 'listening');
  await listen().catch(async ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EADDRINUSE' && (await isDead(path))) await rm(path);
    else if (code === 'EADDRINUSE')
      throw new StartupError(
        `The data directory ${resolve(directory)} is in use by another process. Stop that process, or set DATA_DIR to ` +
          'another directory.',
      );
    await listen();
  });
  return lock;
}

/** Only ECONNREFUSED proves that the process was killed. For instance, another user's socket gives EACCES. */
async function isDead(path: string): Promise<boolean> {
  const socket = connect(path);
  return once(socket, 'connect')
    .then(
      () => false,
      ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED',
    )
    .finally(() => socket.destroy());
}
