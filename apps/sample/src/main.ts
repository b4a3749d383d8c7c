import 'reflect-metadata';
import { type AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { type Config, originOf, readConfig } from './config.js';
import { type Database, openDatabase } from './database.js';
import { prepareDemo } from './demo/demo.js';
import { stopOnSignal } from './shutdown.js';
import { StartupError } from './startup.js';

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const database = await openDatabase(config);
  try {
    await serve(config, database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function serve({ host, port, apiKeys, demo }: Config, database: Database): Promise<void> {
  const app = await createApp(database.dataSource, apiKeys);
  const examples = demo ? await prepareDemo(app) : [];
  await app.init();
  // Not by Nest's `listen`, which logs what goes wrong before it can be told in words.
  const fastify = app.getHttpAdapter().getInstance();
  await fastify.listen({ host, port }).catch((error: unknown) => {
    throw new StartupError(remedyOf(error, host, port), { cause: error });
  });
  stopOnSignal(app, database);

  const origin = originOf(host, (fastify.server.address() as AddressInfo).port);
  console.log(`\nnestjs-shipping sample: ${origin}   (API documentation: ${origin}/docs)`);
  const key = apiKeys.length > 0 ? ` -H 'Authorization: Bearer YOUR_KEY'` : '';
  for (const path of examples) console.log(`  curl${key} '${origin}${path}'`);
}

function remedyOf(error: unknown, host: string, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return `PORT=${port} is in use on ${host}: stop what listens there, or set another PORT.`;
    case 'EACCES':
      return `PORT=${port} needs more rights than this user has: set PORT to 1024 or above.`;
    default:
      return `HOST=${host} cannot be listened on (${message}): set it to an address of this machine, such as 127.0.0.1.`;
  }
}

await start().catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
});
