import { type AddressInfo } from 'node:net';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { readConfig } from './config.js';
import { stopOnSignal } from './shutdown.js';
import { StartupError } from './startup.js';

/**
 * Listens on this machine only, because the sample has no login. @returns the origin, such as `http://127.0.0.1:3000`
 */
export async function listen(app: NestFastifyApplication): Promise<string> {
  const { port } = readConfig(process.env);
  await app.init();
  // Nest's `listen` would log an error before we can explain it.
  const fastify = app.getHttpAdapter().getInstance();
  await fastify.listen({ host: '127.0.0.1', port }).catch(async (error: Error) => {
    await app.close();
    throw new StartupError(
      `The sample cannot listen on PORT=${port} (${error.message}). Set PORT to a free port above 1023.`,
      { cause: error },
    );
  });
  stopOnSignal(app);
  app.flushLogs();
  return `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`;
}
