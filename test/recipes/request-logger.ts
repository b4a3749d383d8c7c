import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { ConsoleLogger } from '@nestjs/common';

// docs/recipes/metrics.md shows this code.

const requests = new AsyncLocalStorage<string>();

/** In `main.ts`: `app.use(withRequestId)`, and `app.useLogger(new RequestLogger())`. */
function withRequestId(request: IncomingMessage, _response: unknown, next: () => void): void {
  const id = String(request.headers['x-request-id'] ?? randomUUID());
  requests.run(`${id} ${request.method} ${request.url}`, next);
}

class RequestLogger extends ConsoleLogger {
  override error(message: unknown, ...rest: unknown[]): void {
    super.error(`${requests.getStore() ?? '-'} ${String(message)}`, ...rest);
  }

  override warn(message: unknown, ...rest: unknown[]): void {
    super.warn(`${requests.getStore() ?? '-'} ${String(message)}`, ...rest);
  }
}

export { RequestLogger, requests, withRequestId };
