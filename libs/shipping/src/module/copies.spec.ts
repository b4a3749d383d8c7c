import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as installed from './copies.js';

const known = new DataSource({ type: 'postgres' });

it('one copy of each package is accepted', () => {
  expect(() => installed.refuseOtherNest(true)).not.toThrow();
  expect(() => installed.refuseOtherTypeOrm(known)).not.toThrow();
  expect(installed.otherNestTypeOrmError()).toBeUndefined();
});

describe('a workspace', () => {
  let workspace: string;
  beforeEach(async () => {
    workspace = await realpath(await mkdtemp(join(tmpdir(), 'shipping-copies-')));
    for (const name of ['nestjs-shipping', '@nestjs/core', '@nestjs/common', '@nestjs/typeorm'])
      await install(name, '12.0.0');
    await install('typeorm', '1.1.0');
    for (const file of ['copies.ts', 'folder-of.cts'])
      await cp(fileURLToPath(new URL(file, import.meta.url)), join(workspace, 'lib', file));
    vi.spyOn(process, 'cwd').mockReturnValue(workspace);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(workspace, { recursive: true });
  });

  it('is not taken for a second copy when the application starts in a folder without packages', async () => {
    vi.mocked(process.cwd).mockReturnValue('/');

    expect((await copied()).otherNestTypeOrmError()).toBeUndefined();
  });

  const install = async (name: string, version: string, below = ''): Promise<void> => {
    const folder = join(workspace, below, 'node_modules', name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
    await writeFile(join(folder, 'index.js'), 'exports.DataSource = class DataSource {};');
  };
  /** Loads the checks from `lib`, which is the folder of our package. */
  const copied = async () => (await import(join(workspace, 'lib/copies.ts'))) as typeof installed;

  it.each<[name: string, check: (copy: typeof installed) => unknown]>([
    ['@nestjs/core', ({ refuseOtherNest }) => refuseOtherNest(false)],
    ['@nestjs/common', ({ refuseOtherNest }) => refuseOtherNest(true)],
    ['typeorm', ({ refuseOtherTypeOrm }) => refuseOtherTypeOrm(known)],
    [
      '@nestjs/typeorm',
      ({ otherNestTypeOrmError }) => {
        throw otherNestTypeOrmError();
      },
    ],
  ])('with two copies of %s is refused, and the error names both folders', async (name, check) => {
    await install(name, '1.0.0', 'lib');
    const copy = await copied();

    expect(() => check(copy)).toThrow(
      `Two copies of ${name} are installed: nestjs-shipping loads it from ${workspace}/lib/node_modules/${name}, the ` +
        `application from ${workspace}/node_modules/${name}. See "npm ls @nestjs/core @nestjs/common @nestjs/typeorm ` +
        'typeorm", and let all packages share one copy',
    );
  });
});
