import { type IncomingMessage } from 'node:http';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { InvalidJsonError, ProblemDetailsFilter, UnsupportedMediaTypeError } from 'nestjs-shipping';

const maxBodyBytes = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const problems = new ProblemDetailsFilter();

export function httpAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: maxBodyBytes,
    // Without it an overlong id would not reach our routes, and be answered as a missing route.
    routerOptions: { maxParamLength: 16 * 1024 },
    // What the router refuses, such as a path that is no UTF-8, comes before any filter of Nest's.
    frameworkErrors: (error: Error, _request: unknown, reply: FastifyReply) => problems.answer(error, reply),
  });
}

/**
 * Every refusal as a problem, and bodies read strictly: JSON in UTF-8, of routes that take one. The app is
 * created with `bodyParser: false`, or Nest's own parser comes before these.
 */
export function configureHttp(app: NestFastifyApplication): void {
  app.useGlobalFilters(problems);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  // A route that takes no body does not look at what is said of one; Fastify would, and refuse it.
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.method !== 'POST' && request.method !== 'PATCH') delete request.headers['content-type'];
    done();
  });
  // Before the size is looked at: what is no JSON is refused as such, however large.
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    if (takesBody(request) && !isUtf8Json(request)) done(new UnsupportedMediaTypeError());
    else done(null, payload);
  });
  fastify.addContentTypeParser(
    /^application\/json/i,
    { parseAs: 'buffer', bodyLimit: maxBodyBytes },
    (request: FastifyRequest, body: Buffer, done: (error: Error | null, parsed?: unknown) => void) => {
      if (!takesBody(request) || body.length === 0) return done(null);
      try {
        done(null, JSON.parse(utf8.decode(body)));
      } catch (cause) {
        done(new InvalidJsonError(cause));
      }
    },
  );
  fastify.addContentTypeParser(
    '*',
    (_request: FastifyRequest, _payload: IncomingMessage, done: (error: null) => void) => done(null),
  );
}

/** For a missing route, or one that takes no body, whatever was sent is not looked at. */
function takesBody({ is404, method, headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  // HTTP/2 needs no length: a body has a type.
  const hasBody =
    length === undefined && headers[':method'] !== undefined
      ? headers['content-type'] !== undefined
      : headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
  return hasBody && !is404 && (method === 'POST' || method === 'PATCH');
}

function isUtf8Json({ headers }: FastifyRequest): boolean {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset\s*=/.test(parameter)) ?? 'charset=utf-8';
  return (
    mediaType === 'application/json' &&
    /^charset\s*=\s*"?utf-?8"?$/.test(charset) &&
    (headers['content-encoding'] ?? 'identity') === 'identity'
  );
}
