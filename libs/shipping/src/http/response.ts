import { Readable } from 'node:stream';
import { Logger, Res, SetMetadata } from '@nestjs/common';
import { type HttpResponse } from './request.js';
import { closeToOthers, isExpress, nodeResponse, seal, whenOver } from './seal.js';

const logger = new Logger('ShippingModule');
const jsonType = 'application/json; charset=utf-8';

/** The response of a handler. Nest still handles it, so that an interceptor can answer in our place. */
export function Answer(): ParameterDecorator {
  return Res({ passthrough: true });
}

/**
 * Keeps Nest's `CacheInterceptor` off a read, whose handler returns nothing to cache. The interceptor caches nothing
 * when a route cannot say for how long. We name its metadata ourselves, so as not to depend on its package.
 */
export function NotCached(): MethodDecorator {
  return SetMetadata('cache_module:cache_ttl', () => {
    throw new Error('Answers of the shipping routes are not to be cached by interceptors.');
  });
}

/**
 * Sends JSON past the host's serialiser and past Express's own conditional requests. Does nothing when the host has
 * answered already. Ends when the answer is out.
 * @param body null for an answer that has none
 */
export async function sendJson(response: HttpResponse, body: Buffer | null, status = 200): Promise<void> {
  const node = nodeResponse(response);
  if (node.headersSent) return;
  response.status(status);
  if (body) response.header('Content-Type', jsonType);
  if (body && isExpress(response)) response.end(body);
  else response.send(body ?? undefined);
  if (!node.writableEnded) {
    // A middleware of the host's (compression, a session) or a hook sends the answer later, and needs it open.
    closeToOthers(response);
    await whenOver(node);
  }
  seal(response);
}

/** JSON in pieces, of which the last one is returned. */
export type Pieces = AsyncGenerator<string, string, undefined>;

/**
 * Sends pieces of JSON as fast as the client takes them, and ends when it has them all or is gone. What fails
 * before the first piece is thrown. What fails later breaks the connection, so that no client takes the answer for
 * whole. Does nothing when the host has answered already.
 */
export async function streamJson(response: HttpResponse, pieces: Pieces): Promise<void> {
  const first = await pieces.next();
  // Most answers are short enough to be one piece.
  if (first.done) return sendJson(response, Buffer.from(first.value));
  const node = nodeResponse(response);
  if (node.headersSent) return void (await pieces.return(''));
  const stream = Readable.from(startingWith(first.value, pieces), { highWaterMark: 1 });
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A client that goes away is no fault of ours, nor is a hook that sends something else.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    logger.error(`An answer broke off: ${error.stack}`);
    node.destroy();
  });
  response.status(200);
  response.header('Content-Type', jsonType);
  closeToOthers(response);
  const over = whenOver(node);
  if (isExpress(response)) stream.pipe(response);
  else response.send(stream);
  await over;
  stream.destroy();
  await closed;
  seal(response);
}

async function* startingWith(first: string, others: Pieces): AsyncGenerator<string, void, undefined> {
  yield first;
  yield yield* others;
}

/** Takes headers back that tell of a change, when the answer is that the change failed after all. */
export function dropIfRefused(response: HttpResponse, ...names: string[]): void {
  const node = nodeResponse(response);
  const { writeHead } = node;
  Object.assign(node, {
    writeHead(status: number, ...others: unknown[]) {
      // Fastify keeps the headers of an answer beside those of Node's.
      const holders = status < 400 ? [] : [response, node];
      for (const holder of holders) for (const name of names) holder.removeHeader(name);
      return Reflect.apply(writeHead, node, [status, ...others]);
    },
  });
}
