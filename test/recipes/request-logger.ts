import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import { ConsoleLogger } from '@nestjs/common';

// docs/recipes/metrics.md shows this code.

const requests = new AsyncLocalStorage<string>();

/** In `main.ts`: `app.use(withRequestId)`, and `app.useLogger(new RequestLogger())`. */
function withRequestId(request: IncomingMessage, _response: unknown, next: () => void): void {
  const id = String(request.headers['x-request-id'] ?? randomUUID());
  requests.run(`${id} ${request.method} ${request.url}`, next);
}

/** An error is logged with its stack. */
function lineOf(message: unknown): string {
  const text = message instanceof Error ? message.stack : message;
  return `${requests.getStore() ?? '-'} ${typeof text === 'string' ? text : inspect(text)}`;
}

class RequestLogger extends ConsoleLogger {
  override error(message: unknown, ...rest: unknown[]): void {
    super.error(lineOf(message), ...rest);
  }

  override warn(message: unknown, ...rest: unknown[]): void {
    super.warn(lineOf(message), ...rest);
  }
}

export { RequestLogger, requests, withRequestId };
