import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onExit } from './processes.mjs';

const root = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const folder = root(`.cache/bench-${process.pid}`);

/** A copy of the built sample, so that another build does not change it during the measurement. */
export const sampleProgram = `${folder}/main.js`;

export function copySample() {
  const library = `${folder}/node_modules/nestjs-shipping`;
  onExit(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(library, { recursive: true });
  cpSync(root('dist/apps/sample'), folder, { recursive: true });
  // npm puts a dependency here whose version is another one than the workspace has.
  for (const part of ['dist', 'package.json', 'openapi.json', 'node_modules']) {
    const from = root(`libs/shipping/${part}`);
    if (existsSync(from)) cpSync(from, `${library}/${part}`, { recursive: true });
  }
}
