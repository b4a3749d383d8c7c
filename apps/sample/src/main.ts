import 'reflect-metadata';
import { type AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { originOf, readConfig } from './config.js';
import { openDatabase } from './database.js';
import { prepareDemo } from './demo/demo.js';
import { stopOnSignal } from './shutdown.js';
import { StartupError } from './startup.js';

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const { host, port, apiKeys, demo } = config;
  const app = await createApp(await openDatabase(config), apiKeys);
  const examples = demo ? await prepareDemo(app) : [];
  await app.init();
  // Nest's `listen` would log an error before we can explain it.
  const fastify = app.getHttpAdapter().getInstance();
  await fastify.listen({ host, port }).catch(async (error: Error) => {
    await app.close();
    throw new StartupError(
      `The sample cannot listen on HOST=${host} and PORT=${port} (${error.message}). Set PORT to a free port ` +
        'above 1023, and HOST to an address of this machine, such as 127.0.0.1.',
      { cause: error },
    );
  });
  stopOnSignal(app);

  const origin = originOf(host, (fastify.server.address() as AddressInfo).port);
  console.log(`\nnestjs-shipping sample: ${origin}   (API documentation: ${origin}/docs)`);
  const key = apiKeys.length > 0 ? ` -H 'Authorization: Bearer YOUR_KEY'` : '';
  for (const path of examples) console.log(`  curl${key} '${origin}${path}'`);
}

await start().catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
});
