import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { otherNestTypeOrm, refuseOtherTypeOrm } from './one-typeorm.js';

const known = new DataSource({ type: 'postgres' });

it('one copy of TypeORM that is new enough is accepted', () => {
  expect(() => refuseOtherTypeOrm(known)).not.toThrow();
  expect(otherNestTypeOrm()).toBeUndefined();
});

describe('a workspace', () => {
  let workspace: string;
  beforeEach(async () => {
    workspace = await realpath(await mkdtemp(join(tmpdir(), 'shipping-typeorm-')));
    await install('nestjs-shipping', '0.1.0');
    await install('@nestjs/typeorm', '12.0.0');
    for (const file of ['one-nest.ts', 'one-typeorm.ts', 'installed.cts'])
      await cp(fileURLToPath(new URL(file, import.meta.url)), join(workspace, 'lib', file));
    vi.spyOn(process, 'cwd').mockReturnValue(workspace);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(workspace, { recursive: true });
  });

  const install = async (name: string, version: string, below = ''): Promise<void> => {
    const folder = join(workspace, below, 'node_modules', name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
    await writeFile(join(folder, 'index.js'), 'exports.DataSource = class DataSource {};');
  };
  const copied = async () =>
    (await import(join(workspace, 'lib/one-typeorm.ts'))) as {
      refuseOtherTypeOrm: typeof refuseOtherTypeOrm;
      otherNestTypeOrm: typeof otherNestTypeOrm;
    };
  const made = async (at: string): Promise<DataSource> => {
    const { DataSource: Made } = (await import(at)) as { DataSource: typeof DataSource };
    return new Made({ type: 'postgres' });
  };

  it('with two copies of TypeORM is refused, and the error names both', async () => {
    await install('typeorm', '1.1.0');
    await install('typeorm', '1.1.0', 'lib');

    const { refuseOtherTypeOrm: refuse } = await copied();

    expect(() => refuse(known)).toThrow(
      `Two copies of typeorm are installed: nestjs-shipping loads it from ${workspace}/lib/node_modules/typeorm, the ` +
        `application from ${workspace}/node_modules/typeorm. See "npm ls @nestjs/core @nestjs/common ` +
        '@nestjs/typeorm typeorm", and let all packages share one copy',
    );
  });

  it('with two copies of @nestjs/typeorm gets an error that names both', async () => {
    await install('typeorm', '1.1.0');
    await install('@nestjs/typeorm', '12.0.0', 'lib');

    const { otherNestTypeOrm: other } = await copied();

    expect(other()?.message).toContain(
      `Two copies of @nestjs/typeorm are installed: nestjs-shipping loads it from ${workspace}/lib/node_modules/`,
    );
  });

  const versionRefused = async (version: string): Promise<unknown> => {
    await install('typeorm', version);
    const dataSource = await made(join(workspace, 'node_modules/typeorm/index.js'));
    const { refuseOtherTypeOrm: refuse } = await copied();
    return Promise.resolve(dataSource)
      .then(refuse)
      .catch(({ message }: Error) => message);
  };

  it.each(['0.2.45', '0.3.9', '0.3.17'])('with TypeORM %s is refused by name', async (version) => {
    expect(await versionRefused(version)).toContain(
      `nestjs-shipping needs typeorm 0.3.18 or newer, but ${workspace}/node_modules/typeorm has version ${version}.`,
    );
  });

  it.each(['0.3.18', '0.3.28', '1.0.0-beta.1'])('with TypeORM %s is accepted', async (version) => {
    expect(await versionRefused(version)).toBeUndefined();
  });
});
