import { type ServerResponse } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { type HttpResponse } from './request.js';

// Nest, interceptors and filters also write to an answer that we have sent: Nest sends what the handler returned, and
// a filter answers what an interceptor has thrown. On a sent answer this throws, which can end the process.

/** @returns whether the response is Express's, which is that of Node; Fastify's has it as `raw` */
export function isExpress(response: HttpResponse): response is HttpResponse & ServerResponse {
  return 'write' in response;
}

/** @returns the response of Node below that of Express or Fastify */
export function nodeResponse(response: HttpResponse | ServerResponse): ServerResponse {
  return 'raw' in response ? (response.raw as ServerResponse) : (response as ServerResponse);
}

const headMethods = ['setHeader', 'setHeaders', 'appendHeader', 'removeHeader', 'writeHead'];
// Express has `send` and `json` on the response of Node. One object for all: each answer is sealed with it.
const inert = Object.fromEntries(
  [...headMethods, 'write', 'end', 'send', 'json'].map((name) => [name, doNothing]),
);

/** Makes whatever is done to an answer do nothing. For one that is out. */
export function seal(response: HttpResponse): void {
  Object.assign(nodeResponse(response), inert);
  if (!isExpress(response)) response.send = doNothing;
}

/**
 * Leaves an answer that is on its way to those who send it: the host's middleware and hooks, and a stream. From the
 * first byte on, what others do to it does nothing. Before it, a host on Fastify may still send another answer, as
 * Fastify itself does when an `onSend` hook fails.
 */
export function closeToOthers(response: HttpResponse): void {
  const node = nodeResponse(response);
  const hasBegun = (): boolean => node.headersSent;
  for (const name of headMethods) doNothingIf(hasBegun, node, name);
  let source: Readable | undefined;
  node.on('pipe', (piped: Readable) => {
    if (source || hasBegun()) piped.unpipe(node);
    else source = piped;
  });
  // Nest ends an answer that has begun when an interceptor fails. A stream ends its answer itself.
  doNothingIf(() => node.writableEnded || source?.readableEnded === false, node, 'end');
  if (isExpress(response)) {
    Object.assign(response, { status: doNothing, send: doNothing, json: doNothing });
    return;
  }
  doNothingIf(hasBegun, response, 'status');
  doNothingIf(hasBegun, response, 'send');
  // Of Fastify's own, it is false until a stream has ended.
  Object.defineProperty(response, 'sent', { configurable: true, enumerable: true, get: hasBegun });
}

/** @returns when an answer is out, or its client gone */
export function whenOver(node: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => resolve();
    finished(node, over);
    // The answer to a pipelined request has no connection until its turn comes, and does not hear it close.
    const { socket } = node.req;
    if (node.socket || !socket) return;
    if (socket.destroyed) over();
    // A client may pipeline any number of requests.
    else socket.setMaxListeners(0).once('close', over);
    node.once('close', () => socket.off('close', over));
  });
}

function doNothingIf(isClosed: () => boolean, target: object, name: string): void {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') return;
  Reflect.set(target, name, function (this: unknown, ...parameters: unknown[]): unknown {
    return isClosed() ? this : Reflect.apply(method, this, parameters);
  });
}

function doNothing(this: unknown): unknown {
  return this;
}
