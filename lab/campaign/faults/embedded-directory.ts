import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { snapshotUrl } from '../../../test/support/snapshot.js';

/** Fills `DATA_DIR` as the first start would, but from the snapshot of the tests, without initdb. */
export async function prepareDirectory(dataDir: string): Promise<void> {
  const snapshot = new Blob([await readFile(snapshotUrl())]);
  const lite = await PGlite.create({ dataDir: join(dataDir, 'postgres'), loadDataDir: snapshot });
  await lite.close();
}
