import { type Server } from 'node:http';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';

/** How long requests under way may take when the process is told to stop, and then the database. */
const graceMs = 5_000;

/** On SIGINT and SIGTERM Nest lets the requests under way finish, closes the database and exits with 0. */
export function stopOnSignal(app: NestFastifyApplication): void {
  const signals = ['SIGINT', 'SIGTERM'];
  app.enableShutdownHooks(signals, { useProcessExit: true });
  const server: Server = app.getHttpServer();
  const stop = (): void => {
    // A connection whose request is under way becomes idle later.
    setInterval(() => server.closeIdleConnections(), 100).unref();
    // Nest would wait for ever for a client that stays connected, and for a database that does not answer.
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
    setTimeout(() => process.exit(1), 2 * graceMs);
  };
  for (const signal of signals) process.once(signal, stop);
}
