import { once } from 'node:events';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDirectory } from '../../apps/sample/src/hardening/directory-lock.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('the lock of a data directory', () => {
  it('refuses a second holder until the first one releases it', async () => {
    const first = await lockDirectory(directory);

    const message = await lockDirectory(directory).catch((error: Error) => error.message);
    await once(first.close(), 'close');
    const second = await lockDirectory(directory);

    expect(message).toBe(
      `The data directory ${directory} is in use by another process. Stop that process, ` +
        'or set DATA_DIR to another directory.',
    );
    await once(second.close(), 'close');
    expect(await readdir(directory)).toEqual([]);
  });

  it('takes over from a killed process', async () => {
    await leaveDeadSocket('in-use.sock');

    const lock = await lockDirectory(directory);

    await expect(lockDirectory(directory)).rejects.toThrow('in use');
    lock.close();
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
