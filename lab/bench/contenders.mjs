import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onExit, serve } from './processes.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here('../..');
const folderOf = (name) => resolve(root, `.cache/bench-${process.pid}-${name}`);

const naive = here('rivals/dist/naive.js');

/** The programs that are measured. Each listens on PORT and uses the database at DATABASE_URL. */
const contenders = {
  ours: { program: `${folderOf('ours')}/ours.mjs` },
  before: { program: `${folderOf('before')}/ours.mjs` },
  bare: { program: here('rivals/bare-postgres.mjs') },
  naive: { program: naive, env: { ADAPTER: 'fastify' } },
  express: { program: naive, env: { ADAPTER: 'express' } },
  paginate: { program: here('rivals/dist/paginate.js') },
};

/** Copies a built library with its host, so that another build does not change it during the measurement. */
export function copyLibrary(name, checkout = root) {
  const folder = folderOf(name);
  const library = `${folder}/node_modules/nestjs-shipping`;
  onExit(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(library, { recursive: true });
  cpSync(here('rivals/ours.mjs'), `${folder}/ours.mjs`);
  // npm puts a dependency into this folder if the workspace has another version of it.
  for (const part of ['dist', 'package.json', 'openapi.json', 'node_modules']) {
    const from = resolve(checkout, `libs/shipping/${part}`);
    if (existsSync(from)) cpSync(from, `${library}/${part}`, { recursive: true });
  }
  return folder;
}

/**
 * @param adapter express or fastify, for the library
 * @returns the contender when it responds
 */
export async function start(name, database, adapter = 'fastify') {
  const { program, env } = contenders[name];
  const isMariadb = database.url.startsWith('mariadb:');
  const served = await serve(isMariadb ? program.replace('bare-postgres', 'bare-mariadb') : program, {
    cwd: root,
    env: { ADAPTER: adapter, ...env, DATABASE_URL: database.url },
    path: '/',
  });
  return { name, database, ...served };
}
