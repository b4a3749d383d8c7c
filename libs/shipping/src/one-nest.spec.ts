import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refuseTwoCopiesOfNest } from './one-nest.js';

describe('a workspace', () => {
  let workspace: string;
  beforeEach(async () => {
    workspace = await realpath(await mkdtemp(join(tmpdir(), 'shipping-nest-')));
  });
  afterEach(() => rm(workspace, { recursive: true }));

  const install = async (folder: string): Promise<void> => {
    await mkdir(join(workspace, folder), { recursive: true });
    await writeFile(join(workspace, folder, 'package.json'), '{}');
  };

  it('with one copy of Nest is accepted', () => {
    expect(() => refuseTwoCopiesOfNest(true)).not.toThrow();
  });

  it.each(['core', 'common'])(
    'with two copies of @nestjs/%s is refused, and the error names both folders and the remedy',
    async (name) => {
      const folders = ['nestjs-shipping', '@nestjs/core', '@nestjs/common'];
      for (const folder of folders) await install(`node_modules/${folder}`);
      await install(`lib/node_modules/@nestjs/${name}`);
      for (const file of ['one-nest.ts', 'installed.cts'])
        await cp(fileURLToPath(new URL(file, import.meta.url)), join(workspace, 'lib', file));
      const copied = (await import(join(workspace, 'lib/one-nest.ts'))) as {
        refuseTwoCopiesOfNest: typeof refuseTwoCopiesOfNest;
      };
      const cwd = vi.spyOn(process, 'cwd').mockReturnValue(workspace);

      const refused = (): void => copied.refuseTwoCopiesOfNest(name !== 'core');

      const [ours, theirs] = ['lib/', ''].map((at) => join(workspace, `${at}node_modules/@nestjs/${name}`));
      expect(refused).toThrow(
        `Two copies of @nestjs/${name} are installed: nestjs-shipping loads it from ${ours}, the application from ${theirs}. ` +
          'See "npm ls @nestjs/core @nestjs/common @nestjs/typeorm typeorm"',
      );
      cwd.mockRestore();
    },
  );
});
