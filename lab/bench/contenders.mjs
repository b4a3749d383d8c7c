import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onExit, serve } from './processes.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here('../..');
const sample = (name) => resolve(root, `.cache/bench-${process.pid}-${name}`);

const naive = here('rivals/dist/naive.js');

/** The programs that are measured. Each listens on PORT and uses the database at DATABASE_URL. */
const contenders = {
  ours: { program: `${sample('ours')}/main.js`, env: { DEMO: 'false' } },
  before: { program: `${sample('before')}/main.js`, env: { DEMO: 'false' } },
  bare: { program: here('rivals/bare-postgres.mjs') },
  naive: { program: naive, env: { ADAPTER: 'fastify' } },
  express: { program: naive },
  paginate: { program: here('rivals/dist/paginate.js') },
};

/** Copies a built sample, so that another build does not change it during the measurement. */
export function copySample(name, checkout = root) {
  const folder = sample(name);
  const library = `${folder}/node_modules/nestjs-shipping`;
  onExit(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(library, { recursive: true });
  cpSync(resolve(checkout, 'dist/apps/sample'), folder, { recursive: true });
  // An older commit has the page in the sample.
  const page = resolve(checkout, 'apps/sample/src/page');
  if (existsSync(page)) cpSync(page, `${folder}/page`, { recursive: true });
  // npm puts a dependency into this folder if the workspace has another version of it.
  for (const part of ['dist', 'package.json', 'openapi.json', 'node_modules']) {
    const from = resolve(checkout, `libs/shipping/${part}`);
    if (existsSync(from)) cpSync(from, `${library}/${part}`, { recursive: true });
  }
  return folder;
}

/** @returns the contender when it answers */
export async function start(name, database, args = []) {
  const { program, env } = contenders[name];
  const isMariadb = database.url.startsWith('mariadb:');
  const served = await serve(isMariadb ? program.replace('bare-postgres', 'bare-mariadb') : program, {
    args,
    cwd: root,
    env: { ...env, DATABASE_URL: database.url },
    path: '/',
  });
  return { name, database, ...served };
}
