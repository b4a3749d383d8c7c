import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { snapshotUrl } from '../../support/snapshot.js';

/** What the first start would make in `DATA_DIR`, from the snapshot of the tests: without initdb. */
export async function prepareDirectory(dataDir: string): Promise<void> {
  const snapshot = new Blob([await readFile(snapshotUrl())]);
  const lite = await PGlite.create({ dataDir: join(dataDir, 'postgres'), loadDataDir: snapshot });
  await lite.close();
}
