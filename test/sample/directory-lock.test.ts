import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DirectoryLock, lockDirectory } from '../../apps/sample/src/hardening/directory-lock.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('the lock of a data directory', () => {
  it('refuses a second holder until the first one releases it', async () => {
    const first = await lockDirectory(directory);

    const message = await lockDirectory(directory).catch((error: Error) => error.message);
    await first.release();
    const second = await lockDirectory(directory);

    expect(message).toBe(
      `The data directory ${directory} is in use by process ${process.pid}. Stop that process, ` +
        'or set DATA_DIR to another directory.',
    );
    await second.release();
    expect(await readdir(directory)).toEqual([]);
  });

  it('takes over from killed processes and removes their sockets', async () => {
    await leaveDeadSocket('in-use-by-1-aaaa.sock');
    await leaveDeadSocket('in-use-by-2-bbbb.sock');

    const lock = await lockDirectory(directory);

    expect(await readdir(directory)).toEqual([expect.stringContaining(`in-use-by-${process.pid}-`)]);
    await lock.release();
  });

  it.each([2, 3, 8])('has at most one holder when %i processes find a dead socket', async (count) => {
    await leaveDeadSocket('in-use-by-1-aaaa.sock');

    const outcomes = await Promise.allSettled(Array.from({ length: count }, () => lockDirectory(directory)));

    const holders = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(holders.length).toBeLessThanOrEqual(1);
    await Promise.all(holders.map((lock: DirectoryLock) => lock.release()));
  });

  it('cannot be taken when the path is too long for a socket', async () => {
    const deep = join(directory, 'd'.repeat(120));

    await expect(lockDirectory(deep)).rejects.toThrow('DATA_DIR is too long for the path of a lock file');
  });
});

/** Leaves a file of a socket on which nobody listens, as after kill -9. */
async function leaveDeadSocket(name: string): Promise<void> {
  const server = createServer();
  const [path, aside] = [join(directory, name), join(directory, 'aside')];
  await new Promise<void>((listening) => server.listen(path, listening));
  await rename(path, aside);
  await new Promise((closed) => server.close(closed));
  await rename(aside, path);
}
