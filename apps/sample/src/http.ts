import { type IncomingMessage } from 'node:http';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply } from 'fastify';
import { InvalidJsonError, ProblemDetailsFilter } from 'nestjs-shipping';

const maxBodyBytes = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function httpAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: maxBodyBytes,
    // Without it an overlong id would not reach our routes, and be answered as a missing route.
    routerOptions: { maxParamLength: 16 * 1024 },
    // Not percent-encoded UTF-8: refused by the router, before any filter of Nest's.
    frameworkErrors: (_error: Error, _request: unknown, reply: FastifyReply) => {
      const detail = 'The path must be percent-encoded UTF-8.';
      void reply
        .status(400)
        .header('Content-Type', 'application/problem+json')
        .send(
          JSON.stringify({
            type: 'urn:problem:shipping:invalid_parameter',
            title: 'Invalid parameter',
            status: 400,
            code: 'invalid_parameter',
            detail,
            errors: [{ parameter: 'path', code: 'format', detail }],
          }),
        );
    },
  });
}

/** Every refusal as a problem; JSON read strictly, and any other body left to the routes to refuse. */
export function configureHttp(app: NestFastifyApplication): void {
  app.useGlobalFilters(new ProblemDetailsFilter());
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  app.useBodyParser('application/json', { bodyLimit: maxBodyBytes }, (_request, body: Buffer, done) => {
    try {
      done(null, body.length > 0 ? JSON.parse(utf8.decode(body)) : undefined);
    } catch (cause) {
      done(new InvalidJsonError(cause), undefined);
    }
  });
  fastify.addContentTypeParser(
    '*',
    (_request: unknown, _payload: IncomingMessage, done: (error: null) => void) => done(null),
  );
}
