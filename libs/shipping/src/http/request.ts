import { type IncomingHttpHeaders } from 'node:http';
import { CodedError } from '../problems/shipping-http.error.js';

/** The parts of a request that Express and Fastify share, and that we read. */
export interface HttpRequest {
  originalUrl?: string;
  /** A host may rewrite it. Then its router follows this one. */
  url?: string;
  /** The request of Node. Express does not have it. */
  raw?: { url?: string };
  headers: IncomingHttpHeaders;
  params: Record<string, string | undefined>;
  body?: unknown;
}

/** The body is not JSON in UTF-8. */
export class UnsupportedMediaTypeError extends CodedError<'unsupported_media_type'> {
  constructor() {
    const detail =
      'Send the body as application/json in UTF-8, with a Content-Encoding that the server knows, or none.';
    super({ title: 'Unsupported media type', status: 415, code: 'unsupported_media_type', detail });
  }
}

/**
 * The body is not JSON. Your own body parser may throw this error. `ProblemDetailsFilter` sends it for other parsers.
 */
export class InvalidJsonError extends CodedError<'invalid_json'> {
  constructor(cause?: unknown) {
    const detail = 'The body must be one JSON object in UTF-8.';
    super({ title: 'Invalid JSON', status: 400, code: 'invalid_json', detail }, { cause });
  }
}

const json = /^application\/json\s*(;|$)/i;
const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i;
/** The codings that a body parser may decode. Express refuses any other, and Fastify ignores the header. */
const codings = /^(\s*(identity|x-gzip|gzip|deflate|br|zstd)\s*(,|$))*$/i;

/** @returns the parsed body; `{}` when there is none @throws UnsupportedMediaTypeError */
export function jsonBody(request: HttpRequest): unknown {
  const { headers, body = {} } = request;
  if (!hasContent(request)) return {};
  const { 'content-type': contentType = '', 'content-encoding': coding = '' } = headers;
  const isUtf8 = /^utf-?8$/i.test(charset.exec(contentType)?.[1] ?? 'utf-8');
  if (!json.test(contentType) || !isUtf8 || !codings.test(coding)) throw new UnsupportedMediaTypeError();
  return body;
}

function hasContent({ headers, body }: HttpRequest): boolean {
  const length = headers['content-length'];
  // HTTP/2 needs no length. There is content when a body parser has read some.
  if (length === undefined && headers[':method'] !== undefined) return body !== undefined;
  return headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
}

export function sentUrl({ originalUrl, raw }: HttpRequest): string {
  // The Fastify of NestJS 10.0 has no `originalUrl`.
  return originalUrl ?? raw?.url ?? '';
}

/**
 * Returns the path as it was sent, without a final slash, and the query after `?`, which the host may have rewritten.
 */
export function urlOf(request: HttpRequest): { path: string; search: string } {
  const sent = sentUrl(request);
  const { url = sent } = request;
  const [path = ''] = sent.split('?', 1);
  const queryStart = url.indexOf('?');
  return { path: path.replace(/\/$/, ''), search: queryStart === -1 ? '' : url.slice(queryStart + 1) };
}
