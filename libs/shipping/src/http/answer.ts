import { ifNoneMatch } from './conditional.js';

/** The methods that the responses of both Express and Fastify have, and that we use. */
interface AnyResponse {
  statusCode: number;
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  getHeader(name: string): unknown;
  send(body?: unknown): unknown;
}

export interface FastifyResponse extends AnyResponse {
  sent: boolean;
  /** Sets the function that makes text of whatever is sent on this response. */
  serializer(serialize: (sent: unknown) => unknown): unknown;
}

interface ExpressResponse extends AnyResponse {
  json(sent: unknown): unknown;
  type(name: string): AnyResponse;
}

export type HttpResponse = FastifyResponse | ExpressResponse;

/** The headers of an answer, and the JSON that can be sent in place of its value. */
export interface Head {
  /** A header that the host has set stays as it is. */
  headers: Readonly<Record<string, string>>;
  /** The header of a request that is answered with 304 if the client has this answer already. */
  ifNoneMatch?: string | undefined;
  /** Gives the JSON of the value, or undefined after somebody has read or changed the value. */
  json?: (() => Buffer | undefined) | undefined;
}

interface Answer {
  value: object;
  head: Head;
}

const answers = new WeakMap<HttpResponse, Answer>();

/**
 * Gives an answer its headers. They are set when the answer is sent: the host's interceptors have run by then, and may
 * have made a refusal or a redirect of it, which does not get the headers. An interceptor may also run the handler again: then the last
 * answer counts.
 * @returns the value, for the handler to return
 */
export function answer<Value extends object>(response: HttpResponse, value: Value, head: Head): Value {
  const isPrepared = answers.has(response);
  answers.set(response, { value, head });
  if (isPrepared) return value;
  if ('serializer' in response) prepareFastify(response);
  else prepareExpress(response);
  return value;
}

function prepareFastify(response: FastifyResponse): void {
  response.serializer((sent) => {
    if (setHead(response) === 304) return undefined;
    // The host sends text, and has set its media type.
    if (typeof sent === 'string') return sent;
    const json = jsonAtHand(response, sent);
    if (response.getHeader('Content-Type') === undefined)
      response.header('Content-Type', 'application/json; charset=utf-8');
    return json ?? JSON.stringify(sent);
  });
}

function prepareExpress(response: ExpressResponse): void {
  const { json: sendJson } = response;
  // A middleware of the host may have replaced these functions, for instance to log what is sent. It gets the value.
  const isReplaced = Object.hasOwn(response, 'json') || Object.hasOwn(response, 'send');
  response.json = (sent) => {
    if (setHead(response) === 304) return response.send();
    const json = isReplaced ? undefined : jsonAtHand(response, sent);
    return json ? response.type('json').send(json) : sendJson.call(response, sent);
  };
}

/** @returns the status of the answer, which is 304 when the client has it already */
function setHead(response: HttpResponse): number {
  const head = answers.get(response)?.head;
  // RFC 9110, section 13.2.1: a refusal or a redirect is sent as it is.
  if (!head || response.statusCode >= 300) return response.statusCode;
  for (const [name, text] of Object.entries(head.headers))
    if (response.getHeader(name) === undefined) response.header(name, text);
  if (ifNoneMatch(head.ifNoneMatch, String(response.getHeader('ETag')))) response.status(304);
  return response.statusCode;
}

/** @returns undefined when the host sends another value, or has set a media type of its own */
function jsonAtHand(response: HttpResponse, sent: unknown): Buffer | undefined {
  const { value, head } = answers.get(response) ?? {};
  return sent === value && response.getHeader('Content-Type') === undefined ? head?.json?.() : undefined;
}
