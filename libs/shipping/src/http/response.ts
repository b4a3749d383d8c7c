import { type ServerResponse } from 'node:http';
import { finished, pipeline, Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { type ProblemDetails } from '../shipping.exception.js';

/** What Express and Fastify have in common, as far as we write it. */
export interface HttpResponse {
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: unknown): unknown;
}

/** Express's response is the one of Node; Fastify's has it as `raw`. */
type ExpressResponse = HttpResponse & ServerResponse;
type FastifyResponse = HttpResponse & { raw: ServerResponse };

const logger = new Logger('ShippingModule');

/**
 * Sends JSON that is made already, past whatever serialiser the host has, and past Express's own conditional
 * requests: whether an answer is 304 is decided before it comes here.
 * @param body null for an answer that has none
 * @returns undefined when the answer has left already, which needs no wait
 */
export function sendJson(
  response: HttpResponse,
  body: Buffer | null,
  status = 200,
): Promise<void> | undefined {
  response.status(status);
  if (body) response.header('Content-Type', 'application/json; charset=utf-8');
  if (body && isExpress(response)) response.end(body);
  else response.send(body ?? undefined);
  return sealed(response);
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
  response.status(200);
  response.header('Content-Type', 'application/json; charset=utf-8');
  await new Promise<void>((resolve) => {
    const end = (error?: NodeJS.ErrnoException | null): void => {
      // A client that goes away is no fault of ours.
      if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
        logger.error(`An answer broke off: ${error.stack}`);
      resolve();
    };
    if (isExpress(response)) pipeline(stream, response, end);
    else {
      finished(stream, end);
      response.send(stream);
    }
  });
  return sealed(response);
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

/**
 * Makes whatever is done to an answer that has left do nothing. Nest sends what a handler returns, and an
 * interceptor may set a header after the handler: both throw once the answer is out, and where a filter then answers
 * what was thrown, it throws too, which ends the process on Express 4.
 */
function sealed(response: HttpResponse): Promise<void> | undefined {
  const node = nodeResponse(response);
  if (node.writableEnded) return seal(response, node);
  // A middleware of the host's (compression, a session) or a hook lets the answer leave later, and needs it open.
  return new Promise((resolve) => finished(node, () => resolve(seal(response, node))));
}

function seal(response: HttpResponse, node: ServerResponse): undefined {
  Object.assign(node, inert);
  if (!isExpress(response)) response.send = doNothing;
}

function doNothing(this: unknown): unknown {
  return this;
}

/** All that writes a response of Node's. Express's own methods go by these; its `send` and `json` would serialise first. */
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

function isExpress(response: HttpResponse): response is ExpressResponse {
  return 'write' in response;
}

function nodeResponse(response: HttpResponse | ServerResponse): ServerResponse {
  return 'raw' in response ? (response as FastifyResponse).raw : (response as ServerResponse);
}

async function* startingWith(first: string, others: Pieces): AsyncGenerator<string, void, undefined> {
  yield first;
  yield yield* others;
}
