/**
 * The program of the thread. It runs the protocol messages that it receives, one at a time. The thread gets this
 * function as text, so the function uses nothing else of this file. `workerData` is the main file of PGlite.
 */
export function serve(): void {
  const fs = require('node:fs') as typeof import('node:fs');
  const { createRequire } = require('node:module') as typeof import('node:module');
  const { tmpdir } = require('node:os') as typeof import('node:os');
  const { join } = require('node:path') as typeof import('node:path');
  const { parentPort, workerData } = require('node:worker_threads') as typeof import('node:worker_threads');
  const load = createRequire(workerData as string);
  const { PGlite } = load('@electric-sql/pglite') as typeof import('@electric-sql/pglite');
  // TypeORM creates the extension for `@PrimaryGeneratedColumn('uuid')`.
  const { uuid_ossp } = load(
    '@electric-sql/pglite/contrib/uuid_ossp',
  ) as typeof import('@electric-sql/pglite/contrib/uuid_ossp');
  const { version } = load('../package.json') as { version: string };
  const snapshot = join(tmpdir(), `nestjs-shipping-pglite-${version}.tar.gz`);

  const start = async () => {
    if (!fs.existsSync(snapshot)) {
      // initdb takes a few seconds. So it runs once for each version of PGlite, and all later tests on this machine use
      // its result.
      const fresh = await PGlite.create();
      const dump = await fresh.dumpDataDir('gzip');
      await fresh.close();
      const unfinished = `${snapshot}.${process.pid}.${Math.random()}`;
      fs.writeFileSync(unfinished, Buffer.from(await dump.arrayBuffer()));
      fs.renameSync(unfinished, snapshot);
    }
    const loadDataDir = new Blob([fs.readFileSync(snapshot)]);
    const database = await PGlite.create({ loadDataDir, extensions: { uuid_ossp } });
    const respondTo = async (message: Uint8Array) => {
      const responses = await database.execProtocolStream(message, { throwOnError: false });
      // An Error loses its fields on the way to another thread. An object keeps them.
      return responses.map((each) => (each instanceof Error ? { ...each, message: each.message } : each));
    };
    parentPort?.on('message', async (message: Uint8Array) => {
      const failed = (error: unknown) => ({ failed: String(error) });
      parentPort?.postMessage(await respondTo(message).catch(failed));
    });
    parentPort?.postMessage('ready');
  };
  void start();
}
