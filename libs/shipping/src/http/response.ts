import { createHash } from 'node:crypto';
import { ifNoneMatch } from './conditional.js';

/** The methods that the responses of both Express and Fastify have, and that we use. */
interface AnyResponse {
  statusCode: number;
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  getHeader(name: string): unknown;
  send(body?: unknown): unknown;
  [prepared]?: Prepared;
}

export interface FastifyResponse extends AnyResponse {
  sent: boolean;
  /** Sets the function that makes the text of this response from the value. */
  serializer(serialize: (value: unknown) => unknown): unknown;
}

interface ExpressResponse extends AnyResponse {
  json(value: unknown): unknown;
  type(name: string): AnyResponse;
}

export type HttpResponse = FastifyResponse | ExpressResponse;

/** Only the browser of a user may keep the response, and must ask each time whether it is current. */
export const browserCache = { 'Cache-Control': 'private, no-cache' };

/** How a response is sent. */
interface ResponseOptions {
  /** The headers of the response. If the host has set one of them, the host's value stays. */
  headers: Readonly<Record<string, string>>;
  /** Only for a list or a tree: with it, the response has an ETag, and a client that has the current one gets 304. */
  conditional?: {
    /** The header of the request. */
    ifNoneMatch: string | undefined;
    /** Returns the JSON of the value and its ETag, or undefined after somebody has read or changed the value. */
    rendering: (value: object) => Rendering | undefined;
  };
}

/** The JSON of a value, and its ETag. */
export interface Rendering {
  etag: string;
  json: Buffer;
}

interface Prepared {
  value: unknown;
  options: ResponseOptions;
}

const prepared = Symbol('prepared');

/**
 * Gives a response its headers. They are set when the response is sent, after the host's interceptors have run
 * (decision 14). An interceptor may turn the response into an error or a redirect. These do not get the headers. If an
 * interceptor runs the handler again, the last call counts.
 * @returns the value, for the handler to return
 */
export function respond<Value>(response: HttpResponse, value: Value, options: ResponseOptions): Value {
  const isPrepared = response[prepared] !== undefined;
  response[prepared] = { value, options };
  if (isPrepared) return value;
  if ('serializer' in response) prepareFastify(response);
  else prepareExpress(response);
  return value;
}

function prepareFastify(response: FastifyResponse): void {
  response.serializer((value) => {
    const rendering = cachedRendering(response, value);
    // If the host sends text, it has set the media type.
    const json = rendering?.json ?? (typeof value === 'string' ? value : JSON.stringify(value));
    if (applyHeaders(response, () => rendering?.etag ?? etagOf(json)) === 304) return undefined;
    if (response.getHeader('Content-Type') === undefined)
      response.header('Content-Type', 'application/json; charset=utf-8');
    return json;
  });
}

function prepareExpress(response: ExpressResponse): void {
  const { json: sendJson } = response;
  // A middleware of the host may have replaced these functions, for instance to log or change what is sent. The
  // middleware then gets the value, not our JSON.
  const isReplaced = Object.hasOwn(response, 'json') || Object.hasOwn(response, 'send');
  response.json = (value) => {
    const rendering = isReplaced ? undefined : cachedRendering(response, value);
    // We do not know what a replaced function sends. Express then makes the ETag from what it is given.
    const etag = () => rendering?.etag ?? (isReplaced ? undefined : etagOf(JSON.stringify(value)));
    if (applyHeaders(response, etag) === 304) return response.send();
    return rendering ? response.type('json').send(rendering.json) : sendJson.call(response, value);
  };
}

/**
 * Sets the headers.
 * @param etag returns the ETag of what is sent
 * @returns the status of the response, which is 304 when the client has the current value already
 */
function applyHeaders(response: HttpResponse, etag: () => string | undefined): number {
  const options = response[prepared]?.options;
  // RFC 9110, section 13.2.1: an error or a redirect is sent as it is.
  if (!options || response.statusCode >= 300) return response.statusCode;
  const { headers, conditional } = options;
  for (const name in headers)
    if (response.getHeader(name) === undefined) response.header(name, headers[name] ?? '');
  if (!conditional) return response.statusCode;
  const hostEtag = response.getHeader('ETag');
  const current = hostEtag === undefined ? etag() : String(hostEtag);
  if (current === undefined) return response.statusCode;
  if (hostEtag === undefined) response.header('ETag', current);
  if (ifNoneMatch(conditional.ifNoneMatch, current)) response.status(304);
  return response.statusCode;
}

/** @returns undefined when the host sends another value, or has set a media type of its own */
function cachedRendering(response: HttpResponse, sentValue: unknown): Rendering | undefined {
  const { value, options } = response[prepared] ?? {};
  return sentValue === value && response.getHeader('Content-Type') === undefined
    ? options?.conditional?.rendering(Object(value))
    : undefined;
}

/**
 * Two users may get different texts from the host's interceptors. So the ETag identifies the text, and no 304 confirms
 * the text of another user.
 */
function etagOf(text: string | Buffer): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`;
}
