import { type Server } from 'node:http';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * How long running requests may take after the process was told to stop. Closing the database may then take as long
 * again.
 */
const graceMs = 5_000;

/** On SIGINT and SIGTERM, Nest waits for running requests, closes the database and exits with 0. */
export function stopOnSignal(app: NestFastifyApplication): void {
  const signals = ['SIGINT', 'SIGTERM'];
  app.enableShutdownHooks(signals, { useProcessExit: true });
  const server: Server = app.getHttpServer();
  const stop = (): void => {
    // A connection with a running request becomes idle later, so we look again and again.
    setInterval(() => server.closeIdleConnections(), 100).unref();
    // Nest would wait for ever for a client that stays connected, and for a database that does not respond.
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
    setTimeout(() => process.exit(1), 2 * graceMs);
  };
  for (const signal of signals) process.once(signal, stop);
}
