import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onExit } from './processes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A copy of the built sample, so that another build does not change it during the measurement. */
export const sampleFolder = resolve(root, `.cache/bench-${process.pid}`);

/** @param checkout where it is built; this one by default */
export function copySample(folder = sampleFolder, checkout = root) {
  const library = `${folder}/node_modules/nestjs-shipping`;
  onExit(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(library, { recursive: true });
  cpSync(resolve(checkout, 'dist/apps/sample'), folder, { recursive: true });
  cpSync(fileURLToPath(new URL('host.mjs', import.meta.url)), `${folder}/host.mjs`);
  // npm puts a dependency here whose version is another one than the workspace has.
  for (const part of ['dist', 'package.json', 'openapi.json', 'node_modules']) {
    const from = resolve(checkout, `libs/shipping/${part}`);
    if (existsSync(from)) cpSync(from, `${library}/${part}`, { recursive: true });
  }
}
