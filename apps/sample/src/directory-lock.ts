import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from './startup.js';

// Each process that wants the directory listens on a socket file of its own in it. The kernel answers for a
// process as long as it lives, and never after: a socket that refuses was left by one that was killed.

const socketName = /^in-use-by-(\d+)-[0-9a-f]+\.sock$/;
const maxAttempts = 5;
/** Of a socket's path: 108 on Linux with its end mark, 104 on macOS. */
const maxPathBytes = 103;

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Announce, then look around: of two that start at once, the later announcement sees the earlier one, so that
 * both never win. Both may lose; then they try again at different moments.
 * @throws StartupError when another process of this machine has the directory
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  for (let attempt = 1; ; attempt++) {
    const own = `in-use-by-${process.pid}-${randomBytes(4).toString('hex')}.sock`;
    const server = await listen(directory, own);
    const holder = await otherHolder(directory, own);
    // Someone may have taken our socket for a dead one, just before it listened.
    if (holder === undefined && existsSync(join(directory, own))) return { release: () => close(server) };
    await close(server);
    if (attempt === maxAttempts) {
      throw new StartupError(
        `The data directory ${resolve(directory)} is in use by process ${holder ?? 'unknown'}: stop that process, ` +
          'or set DATA_DIR to another directory.',
      );
    }
    await delay(Math.random() * 200);
  }
}

/** @returns the process id in the first socket that answers; removes those of the dead */
async function otherHolder(directory: string, own: string): Promise<string | undefined> {
  for (const name of await readdir(directory)) {
    const pid = socketName.exec(name)?.[1];
    if (pid === undefined || name === own) continue;
    if (await answers(socketPath(directory, name))) return pid;
    await rm(join(directory, name), { force: true });
  }
  return undefined;
}

async function listen(directory: string, name: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  // A lock alone keeps no process running.
  server.unref();
  await once(server.listen(socketPath(directory, name)), 'listening');
  return server;
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    // Any other fault, such as EACCES of another user's process, is no proof of death.
    return !['ECONNREFUSED', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    socket.destroy();
  }
}

async function close(server: Server): Promise<void> {
  // Closing removes the socket file.
  await new Promise((closed) => server.close(closed));
}

function socketPath(directory: string, name: string): string {
  const absolute = resolve(directory, name);
  const fromHere = relative(process.cwd(), absolute);
  const path = fromHere.length < absolute.length ? fromHere : absolute;
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  throw new StartupError(
    `DATA_DIR is too long a path for a lock in it (${resolve(directory)}): choose a shorter one.`,
  );
}
