import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { snapshotUrl } from './snapshot.js';

/** Runs initdb once for all files and runs. The empty database is kept for each version of PGlite. */
export default async function setup(): Promise<void> {
  const snapshot = snapshotUrl();
  if (existsSync(snapshot)) return;
  console.log('Preparing the embedded database for the tests (once, some 10 s) …');
  const database = await PGlite.create();
  const dump = await database.dumpDataDir('gzip');
  await database.close();
  await mkdir(new URL('.', snapshot), { recursive: true });
  const half = new URL(`${snapshot.href}.${process.pid}`);
  await writeFile(half, Buffer.from(await dump.arrayBuffer()));
  await rename(half, snapshot);
}
