import { type Server } from 'node:http';
import { type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';

/** How long requests under way may take when the process is told to stop. */
const graceMs = 5_000;
const sweepMs = 100;

/**
 * On SIGINT and SIGTERM: takes no new connection, lets the requests under way finish, closes the database and
 * exits with 0. A second signal ends the process at once. (Nest's own shutdown hooks wait for ever.)
 */
export function stopOnSignal(app: NestFastifyApplication): void {
  const server: Server = app.getHttpServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const stop = async (): Promise<void> => {
    // Browsers connect before they have a request. Node does not count such a connection as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    // A connection whose request is under way becomes idle later.
    setInterval(() => server.closeIdleConnections(), sweepMs).unref();
    const dataSource = app.get(DataSource);
    await Promise.race([app.close(), delay(graceMs)]);
    // A server that hangs is not told.
    if (dataSource.isInitialized) await dataSource.destroy().catch(() => undefined);
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
}
