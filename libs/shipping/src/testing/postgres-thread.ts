/** What the thread is given. */
export interface ThreadData {
  /** The main file of PGlite. */
  pglite: string;
  /** Where an empty database is kept between runs. */
  snapshot: string;
}

/**
 * The program of the thread: it runs the messages of PostgreSQL's protocol that it is sent, one at a time. It is
 * sent to the thread as text, so it uses nothing of this file.
 */
export function serve(): void {
  const { existsSync } = require('node:fs') as typeof import('node:fs');
  const { readFile, rename, writeFile } = require('node:fs/promises') as typeof import('node:fs/promises');
  const { parentPort, workerData } = require('node:worker_threads') as typeof import('node:worker_threads');
  const { pglite, snapshot } = workerData as ThreadData;
  const { PGlite } = require(pglite) as typeof import('@electric-sql/pglite');

  const open = async () => {
    if (!existsSync(snapshot)) {
      // initdb takes some seconds: once a version, for all test files and runs of this machine.
      const fresh = await PGlite.create();
      const dump = await fresh.dumpDataDir('gzip');
      await fresh.close();
      const half = `${snapshot}.${process.pid}.${Math.random()}`;
      await writeFile(half, Buffer.from(await dump.arrayBuffer()));
      await rename(half, snapshot);
    }
    return PGlite.create({ loadDataDir: new Blob([await readFile(snapshot)]) });
  };

  const start = async () => {
    const database = await open();
    const answer = async (message: Uint8Array) => {
      const answers = await database.execProtocolStream(message, { throwOnError: false });
      // An Error loses its fields on the way to another thread. An object keeps them.
      parentPort?.postMessage(
        answers.map((each) => (each instanceof Error ? { ...each, message: each.message } : each)),
      );
    };
    parentPort?.on('message', (message: Uint8Array) => {
      answer(message).catch((error: unknown) => parentPort?.postMessage({ failed: String(error) }));
    });
    parentPort?.postMessage('ready');
  };
  void start();
}
