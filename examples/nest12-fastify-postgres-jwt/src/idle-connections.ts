import { type Server } from 'node:http';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Without this provider, a stopping process waits for each client that keeps its connection: 6 to 73 seconds. */
@Injectable()
export class IdleConnections implements BeforeApplicationShutdown {
  constructor(@Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost) {}

  beforeApplicationShutdown(): void {
    const server: Server = this.adapterHost.httpAdapter.getHttpServer();
    // A connection becomes idle when its request is completed, so we look again and again.
    const timer = setInterval(() => server.closeIdleConnections(), 100);
    server.once('close', () => clearInterval(timer));
  }
}
