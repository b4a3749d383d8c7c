import { type Server } from 'node:http';
import { type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Database } from './database.js';

/** For requests under way when the process is told to stop. */
const graceMs = 5_000;
const sweepMs = 100;

/**
 * On SIGINT and SIGTERM: takes no new connection, lets the requests under way finish, closes the database and
 * leaves with 0. A second signal ends the process at once.
 */
export function stopOnSignal(app: NestFastifyApplication, database: Database): void {
  const server = app.getHttpServer() as Server;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const stop = async (): Promise<void> => {
    // Browsers connect ahead of a request that may never come; to Node such a connection is not idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    // One whose request was under way becomes idle later on.
    setInterval(() => server.closeIdleConnections(), sweepMs).unref();
    await Promise.race([app.close(), delay(graceMs)]);
    await database.close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop().catch((error: unknown) => {
        console.error(error);
        process.exit(1);
      });
    });
  }
}
