import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { finished, type Readable } from 'node:stream';
import { type HttpResponse, isExpress, nodeResponse } from './http-response.js';

// Nest, interceptors and filters also write to an answer that we have sent: Nest sends what the handler returned, and
// a filter answers what an interceptor has thrown. On an answer that has left this throws, which can end the process.

/** All that writes a response of Node's, and what Express has over it: that would serialise first. */
const inert = {
  setHeader: doNothing,
  setHeaders: doNothing,
  appendHeader: doNothing,
  removeHeader: doNothing,
  writeHead: doNothing,
  write: doNothing,
  end: doNothing,
  send: doNothing,
  json: doNothing,
};

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
  for (const name of ['setHeader', 'setHeaders', 'appendHeader', 'removeHeader', 'writeHead']) {
    doNothingIf(hasBegun, node, name);
  }
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
    const { socket } = node.req;
    // The answer to a pipelined request has no connection until its turn comes, and does not hear it close.
    const forget = node.socket || !socket ? undefined : onClose(socket, resolve);
    finished(node, () => {
      forget?.();
      resolve();
    });
  });
}

/** One listener for each connection, however many requests a client pipelines. */
const waiting = new WeakMap<Socket, Set<() => void>>();

function onClose(socket: Socket, callback: () => void): () => void {
  let callbacks = waiting.get(socket);
  if (!callbacks) {
    const all = new Set<() => void>();
    callbacks = all;
    waiting.set(socket, all);
    socket.once('close', () => all.forEach((each) => each()));
  }
  callbacks.add(callback);
  if (socket.destroyed) callback();
  return () => callbacks.delete(callback);
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
