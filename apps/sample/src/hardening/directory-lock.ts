import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from './startup.js';

// Each process that wants the directory listens on a socket file of its own in it. The kernel accepts connections
// while the process lives, and refuses them after the process was killed.

const socketName = /^in-use-by-(\d+)-[0-9a-f]+\.sock$/;
const maxAttempts = 5;
/** A socket's path may have 107 bytes on Linux and 103 on macOS. */
const maxPathBytes = 103;

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Locks a directory. The process first listens on its own socket, and then looks for the sockets of others. If two
 * processes start together, the later one sees the earlier one, so they never both get the lock. If both see each
 * other, neither gets it, and they try again at different moments.
 * @throws StartupError when another process of this machine has the directory
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  for (let attempt = 1; ; attempt++) {
    const ownName = `in-use-by-${process.pid}-${randomBytes(4).toString('hex')}.sock`;
    // The lock alone does not keep the process running.
    const server = createServer((socket) => socket.destroy()).unref();
    await once(server.listen(socketPath(directory, ownName)), 'listening');
    // Closing removes the socket file.
    const release = (): Promise<void> => new Promise((closed) => server.close(() => closed()));
    const holder = await otherHolder(directory, ownName);
    // Another process may have removed our file, just before we listened.
    if (holder === undefined && existsSync(join(directory, ownName))) return { release };
    await release();
    if (attempt === maxAttempts) {
      throw new StartupError(
        `The data directory ${resolve(directory)} is in use by process ${holder ?? 'unknown'}. Stop that process, ` +
          'or set DATA_DIR to another directory.',
      );
    }
    await delay(Math.random() * 200);
  }
}

/** Removes the sockets of killed processes. @returns the process id of the first socket that responds */
async function otherHolder(directory: string, ownName: string): Promise<string | undefined> {
  for (const name of await readdir(directory)) {
    const pid = socketName.exec(name)?.[1];
    if (pid === undefined || name === ownName) continue;
    if (await responds(socketPath(directory, name))) return pid;
    await rm(join(directory, name), { force: true });
  }
  return undefined;
}

function responds(path: string): Promise<boolean> {
  const socket = connect(path);
  // Any other error does not prove that the process was killed. For instance, another user's socket gives EACCES.
  const isLive = ({ code }: NodeJS.ErrnoException): boolean => code !== 'ECONNREFUSED' && code !== 'ENOENT';
  return once(socket, 'connect')
    .then(() => true, isLive)
    .finally(() => socket.destroy());
}

function socketPath(directory: string, name: string): string {
  const absolute = resolve(directory, name);
  const fromHere = relative(process.cwd(), absolute);
  const path = fromHere.length < absolute.length ? fromHere : absolute;
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  throw new StartupError(
    `DATA_DIR is too long for the path of a lock file: ${resolve(directory)}. Choose a shorter path.`,
  );
}
