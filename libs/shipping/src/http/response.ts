import { finished, pipeline, Readable } from 'node:stream';
import { Logger } from '@nestjs/common';

/** What Express and Fastify have in common, as far as we write it. */
export interface HttpResponse {
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: unknown): unknown;
}

const logger = new Logger('ShippingModule');

/**
 * Sends JSON that is made already, past whatever serialiser the host has, and past Express's own conditional
 * requests: whether an answer is 304 is decided before it comes here.
 */
export function sendJson(response: HttpResponse, body: Buffer): void {
  response.header('Content-Type', 'application/json; charset=utf-8');
  if (isStream(response)) response.end(body);
  else response.send(body);
}

/** JSON in pieces, of which the last one is returned. */
export type Pieces = AsyncGenerator<string, string, undefined>;

/**
 * Sends pieces of JSON as fast as the client takes them, and ends when it has them all or is gone. What fails
 * before the first piece is thrown; after it the status is sent, and all that is left is to break the connection,
 * never to end it as if it were whole.
 */
export async function streamJson(response: HttpResponse, pieces: Pieces): Promise<void> {
  const first = await pieces.next();
  // Most answers are short enough to be one piece.
  if (first.done) return sendJson(response, Buffer.from(first.value));
  const stream = Readable.from(startingWith(first.value, pieces), { highWaterMark: 1 });
  response.header('Content-Type', 'application/json; charset=utf-8');
  await new Promise<void>((resolve) => {
    const end = (error?: NodeJS.ErrnoException | null): void => {
      // A client that goes away is no fault of ours.
      if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
        logger.error(`An answer broke off: ${error.stack}`);
      resolve();
    };
    if (isStream(response)) pipeline(stream, response, end);
    else {
      finished(stream, end);
      response.send(stream);
    }
  });
}

/** Express's response is the stream of Node; Fastify's takes one. */
function isStream(response: HttpResponse): response is HttpResponse & NodeJS.WritableStream {
  return 'write' in response;
}

async function* startingWith(first: string, others: Pieces): AsyncGenerator<string, void, undefined> {
  yield first;
  yield yield* others;
}
