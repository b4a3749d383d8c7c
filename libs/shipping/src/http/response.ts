import { type ServerResponse } from 'node:http';
import { finished, Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { type ProblemDetails } from '../shipping.exception.js';
import { type HttpResponse, isExpress, nodeResponse } from './http-response.js';
import { closeToOthers, seal, whenOver } from './seal.js';

const logger = new Logger('ShippingModule');

/**
 * Sends JSON that is made already, past whatever serialiser the host has, and past Express's own conditional
 * requests: whether an answer is 304 is decided before it comes here. Does nothing when the host has answered already.
 * @param body null for an answer that has none
 * @returns undefined when the answer has left already, which needs no wait
 */
export function sendJson(
  response: HttpResponse,
  body: Buffer | null,
  status = 200,
): Promise<void> | undefined {
  const node = nodeResponse(response);
  if (node.headersSent) return undefined;
  response.status(status);
  if (body) response.header('Content-Type', 'application/json; charset=utf-8');
  if (body && isExpress(response)) response.end(body);
  else response.send(body ?? undefined);
  if (node.writableEnded) {
    seal(response);
    return undefined;
  }
  // A middleware of the host's (compression, a session) or a hook lets the answer leave later, and needs it open.
  closeToOthers(response);
  return whenOver(node).then(() => seal(response));
}

/** JSON in pieces, of which the last one is returned. */
export type Pieces = AsyncGenerator<string, string, undefined>;

/**
 * Sends pieces of JSON as fast as the client takes them, and ends when it has them all or is gone. What fails
 * before the first piece is thrown; after it the status is sent, and all that is left is to break the connection,
 * never to end it as if it were whole. Does nothing when the host has answered already.
 */
export async function streamJson(response: HttpResponse, pieces: Pieces): Promise<void> {
  const first = await pieces.next();
  // Most answers are short enough to be one piece.
  if (first.done) return sendJson(response, Buffer.from(first.value));
  const node = nodeResponse(response);
  if (node.headersSent) return void (await pieces.return(''));
  const stream = Readable.from(startingWith(first.value, pieces), { highWaterMark: 1 });
  response.status(200);
  response.header('Content-Type', 'application/json; charset=utf-8');
  closeToOthers(response);
  const over = whenOver(node);
  const read = new Promise<void>((resolve) => {
    finished(stream, (error) => {
      // A client that goes away is no fault of ours, nor is a hook that sends something else.
      if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') {
        logger.error(`An answer broke off: ${error.stack}`);
        node.destroy();
      }
      resolve();
    });
  });
  if (isExpress(response)) stream.pipe(response);
  else response.send(stream);
  await over;
  stream.destroy();
  await read;
  seal(response);
}

/** Sends a refusal, unless an answer is on its way. */
export function sendProblem(
  response: HttpResponse | ServerResponse,
  problem: ProblemDetails,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { headersSent } = nodeResponse(response);
  if (headersSent || ('sent' in response && response.sent)) return;
  const all = { ...headers, 'Content-Type': 'application/problem+json' };
  const body = Buffer.from(JSON.stringify(problem));
  // On Fastify the filter of a middleware's error gets the response of Node.
  if (!('send' in response)) {
    response.writeHead(problem.status, all).end(body);
    return;
  }
  response.status(problem.status);
  for (const [name, value] of Object.entries(all)) response.header(name, value);
  response.send(body);
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

async function* startingWith(first: string, others: Pieces): AsyncGenerator<string, void, undefined> {
  yield first;
  yield yield* others;
}
