import { ForbiddenException, type NestApplicationOptions } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { InvalidJsonError, ProblemDetailsFilter, UnsupportedMediaTypeError } from 'nestjs-shipping';

const maxBodyBytes = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const json = /^application\/json\s*(;|$)/i;
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(;|$))/i;
const problems = new ProblemDetailsFilter();

export const applicationOptions: NestApplicationOptions = {
  logger: ['warn', 'error', 'fatal'],
  abortOnError: false,
  // Nest would log an error of the start before `main.ts` prints its reason. `listen()` prints what Nest has kept.
  bufferLogs: true,
  autoFlushLogs: false,
  // `configureHttp` has a parser. Nest's own would come first.
  bodyParser: false,
};

export function httpAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: maxBodyBytes,
    // With Fastify's default limit, a request with a very long id would get the response of a missing route.
    routerOptions: { maxParamLength: 16 * 1024 },
    // The router refuses some paths, such as one that is not UTF-8, before any filter of Nest.
    frameworkErrors: (error: Error, _request: unknown, reply: FastifyReply) => problems.send(error, reply),
  });
}

/**
 * Sends every error as a problem. Reads only bodies that are JSON in UTF-8, and only on routes that take a body.
 */
export function configureHttp(app: NestFastifyApplication): void {
  app.useGlobalFilters(problems);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isOfOtherSite(request))
      return done(new ForbiddenException('Only pages of this server may send this request.'));
    // No route reads this body. With a content type, Fastify would parse the body, and refuse one that is not
    // valid.
    if (!takesBody(request)) delete request.headers['content-type'];
    done();
  });
  // This comes before the parser checks the size, so that a wrong type is a 415 however large the body is.
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    if (takesBody(request) && hasBody(request) && !isUtf8Json(request)) done(new UnsupportedMediaTypeError());
    else done(null, payload);
  });
  app.useBodyParser('application/json', { bodyLimit: maxBodyBytes }, (_request, body: Buffer, done) => {
    try {
      done(null, body.length === 0 ? undefined : JSON.parse(utf8.decode(body)));
    } catch (cause) {
      done(new InvalidJsonError(cause));
    }
  });
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/**
 * Tells whether a page of another site sends a POST. A form on any page can do this, and the browser then adds the
 * password of HTTP Basic. The header `Sec-Fetch-Site` tells where the page comes from. Over plain HTTP, browsers do not
 * send it, so the host of `Origin` must be the host of the request.
 */
function isOfOtherSite({ method, headers, host }: FastifyRequest): boolean {
  if (method !== 'POST') return false;
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return /^(cross|same)-site$/.test(String(site));
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host;
}

function takesBody({ is404, method }: FastifyRequest): boolean {
  return !is404 && (method === 'POST' || method === 'PATCH');
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  // Over HTTP/2 a body needs no length, but it has a type.
  if (length === undefined && ':method' in headers) return headers['content-type'] !== undefined;
  return headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
}

function isUtf8Json({ headers }: FastifyRequest): boolean {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = headers;
  return json.test(type) && !otherCharset.test(type) && coding === 'identity';
}
