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

/** How a response is sent. */
export interface ResponseOptions {
  /** The headers of the response. If the host has set one of them, the host's value stays. */
  headers: Readonly<Record<string, string>>;
  /** The `If-None-Match` header of the request. If it names the ETag of the response, the status is 304. */
  ifNoneMatch?: string | undefined;
  /** Returns the JSON of the value, or undefined after somebody has read or changed the value. */
  json?: (value: object) => Buffer | undefined;
}

interface Prepared {
  value: unknown;
  options: ResponseOptions;
}

const prepared = Symbol('prepared');

/**
 * Gives a response its headers. They are set when the response is sent, after the host's interceptors have run. An
 * interceptor may turn the response into an error or a redirect. These do not get the headers. If an interceptor runs
 * the handler again, the last call counts.
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
    if (applyHeaders(response) === 304) return undefined;
    // The host sends text, and has set its media type.
    if (typeof value === 'string') return value;
    const json = cachedJson(response, value);
    if (response.getHeader('Content-Type') === undefined)
      response.header('Content-Type', 'application/json; charset=utf-8');
    return json ?? JSON.stringify(value);
  });
}

function prepareExpress(response: ExpressResponse): void {
  const { json: sendJson } = response;
  // A middleware of the host may have replaced these functions, for instance to log what is sent. The middleware then
  // gets the value, not our JSON.
  const isReplaced = Object.hasOwn(response, 'json') || Object.hasOwn(response, 'send');
  response.json = (value) => {
    if (applyHeaders(response) === 304) return response.send();
    const json = isReplaced ? undefined : cachedJson(response, value);
    return json ? response.type('json').send(json) : sendJson.call(response, value);
  };
}

/** Sets the headers. @returns the status of the response, which is 304 when the client has the current value already */
function applyHeaders(response: HttpResponse): number {
  const options = response[prepared]?.options;
  // RFC 9110, section 13.2.1: an error or a redirect is sent as it is.
  if (!options || response.statusCode >= 300) return response.statusCode;
  for (const name in options.headers)
    if (response.getHeader(name) === undefined) response.header(name, options.headers[name] ?? '');
  if (
    options.ifNoneMatch !== undefined &&
    ifNoneMatch(options.ifNoneMatch, String(response.getHeader('ETag')))
  )
    response.status(304);
  return response.statusCode;
}

/** @returns undefined when the host sends another value, or has set a media type of its own */
function cachedJson(response: HttpResponse, sentValue: unknown): Buffer | undefined {
  const { value, options } = response[prepared] ?? {};
  return sentValue === value && options?.json && response.getHeader('Content-Type') === undefined
    ? options.json(Object(value))
    : undefined;
}
