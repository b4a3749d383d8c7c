import {
  type ArgumentsHost,
  BadRequestException,
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  Logger,
  NotFoundException,
  ServiceUnavailableException,
  UnprocessableEntityException,
} from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailableError } from '../database/database.errors.js';
import { ProblemDetailsFilter, problemOf } from './problem-details.filter.js';

const caused = (cause: unknown): BadRequestException => new BadRequestException('Bad', { cause });

describe('problemOf()', () => {
  it.each([
    ['a body that is not JSON', caused(new SyntaxError('Unexpected token')), 400, 'invalid_json'],
    ['a path that is not UTF-8', caused(new URIError('URI malformed')), 400, 'invalid_parameter'],
    ['a missing route', new NotFoundException('Cannot GET /x'), 404, 'route_not_found'],
    ['a missing route of any method', new NotFoundException('Cannot M-SEARCH /x'), 404, 'route_not_found'],
  ])('gives our own problem for %s', (_title, exception, status, code) => {
    expect(problemOf(exception)).toMatchObject({ status, code });
  });

  it.each([
    ['a bad request', new BadRequestException('Choose a size.'), 400, 'bad_request', 'Choose a size.'],
    ['a bad request with a cause', caused(new Error('size')), 400, 'bad_request', 'Bad'],
    ['a bad request caused by a text', caused('size'), 400, 'bad_request', 'Bad'],
    ['something missing', new NotFoundException('No such cart.'), 404, 'not_found', 'No such cart.'],
    [
      'a message that only mentions a route',
      new NotFoundException('We Cannot GET it'),
      404,
      'not_found',
      'We Cannot GET it',
    ],
    ['a refusal', new ForbiddenException('Not yours.'), 403, 'forbidden', 'Not yours.'],
    [
      'a refusal caused by an address',
      new ForbiddenException('No', { cause: new URIError('x') }),
      403,
      'forbidden',
      'No',
    ],
    [
      'a refusal that names a route',
      new ForbiddenException('Cannot GET /x'),
      403,
      'forbidden',
      'Cannot GET /x',
    ],
  ])('keeps the host’s words for %s', (_title, exception, status, code, detail) => {
    expect(problemOf(exception)).toMatchObject({ status, code, detail });
  });

  it('hides the message of an unexpected error', () => {
    const problem = problemOf(new Error('password=secret'));
    expect(problem).toMatchObject({ status: 500, code: 'internal_server_error' });
    expect(JSON.stringify(problem)).not.toContain('secret');
  });

  it.each([
    [new InternalServerErrorException('password=secret'), 'Internal server error'],
    [new ServiceUnavailableException('password=secret'), 'Service unavailable'],
    [new HttpException('password=secret', 599), 'Error'],
  ])('hides the message of a server error: %s', (exception, title) => {
    expect(problemOf(exception)).toMatchObject({ title, detail: `${title}.` });
  });

  it('names a refusal without a message by its status', () => {
    const problem = problemOf(new HttpException('', 422));

    expect(problem).toMatchObject({ title: 'Unprocessable entity', detail: 'Unprocessable entity.' });
    expect(problemOf(new UnprocessableEntityException('No.'))).toMatchObject({ detail: 'No.' });
  });

  it.each([
    { type: 'entity.parse.failed' },
    { type: 'request.size.invalid' },
    { code: 'Z_DATA_ERROR' },
    { code: 'FST_ERR_CTP_EMPTY_JSON_BODY' },
  ])('gives invalid_json for a body that a parser refused with %j, but only with a 400', (sign) => {
    const cause = Object.assign(new Error('no'), sign);

    expect(problemOf(new BadRequestException('No', { cause }))).toMatchObject({ code: 'invalid_json' });
    expect(problemOf(new ForbiddenException('No', { cause }))).toMatchObject({ code: 'forbidden' });
  });

  it.each([{ code: 'XZ_DATA' }, { code: 'FST_ERR_CTP_EMPTY_JSON_BODY_X' }, { type: 'entity' }])(
    'gives bad_request for a body that the host refused with %j',
    (sign) => {
      const cause = Object.assign(new Error('no'), sign);

      expect(problemOf(new BadRequestException('No', { cause }))).toMatchObject({ code: 'bad_request' });
    },
  );
});

/** Like Nest 10 and 11, which keep only the message of an error of a parser or the router. */
class RoutesResolver {
  mapExternalException({ message }: Error): HttpException {
    return new BadRequestException(message);
  }

  /** Nest 11, for errors of Fastify. */
  mapFastifyError({ message }: Error, statusCode: number): HttpException {
    const mapExternalException = (): HttpException => new HttpException(message, statusCode);
    return mapExternalException();
  }
}

const nest = new RoutesResolver();

/** An error of `http-errors`, or an error of zlib from body-parser. Nest 10 and 11 pass it on. */
const httpError = (message: string, status: number, more: object = {}): Error =>
  Object.assign(new Error(message), { status, statusCode: status, expose: status < 500, ...more });

/** An error of Fastify. Nest 10 passes it on. */
const fastifyError = (message: string, statusCode: number, code: string): Error =>
  Object.assign(new Error(message), { name: 'FastifyError', statusCode, code });

describe('problemOf() for body parsers and routers of Nest 10 and 11', () => {
  it.each<[refused: string, exception: unknown, status: number, code: string]>([
    [
      'a body that Express cannot parse',
      nest.mapExternalException(new SyntaxError('Unexpected end of JSON input')),
      400,
      'invalid_json',
    ],
    [
      'a body that is not an object, on Express',
      nest.mapExternalException(new SyntaxError('Unexpected token \'"\', ""x"" is not valid JSON')),
      400,
      'invalid_json',
    ],
    [
      'a body with __proto__, on Fastify 4',
      nest.mapExternalException(new SyntaxError('Object contains forbidden prototype property')),
      400,
      'invalid_json',
    ],
    [
      'a body that Fastify 5 cannot parse',
      nest.mapFastifyError(
        new Error("Body is not valid JSON but content-type is set to 'application/json'"),
        400,
      ),
      400,
      'invalid_json',
    ],
    [
      'an empty body, on Fastify 5',
      nest.mapFastifyError(
        new Error("Body cannot be empty when content-type is set to 'application/json'"),
        400,
      ),
      400,
      'invalid_json',
    ],
    [
      'an empty body, on Fastify 4',
      fastifyError(
        "Body cannot be empty when content-type is set to 'application/json'",
        400,
        'FST_ERR_CTP_EMPTY_JSON_BODY',
      ),
      400,
      'invalid_json',
    ],
    [
      'a body that does not match its Content-Length, on Fastify 5',
      nest.mapFastifyError(new Error('Request body size did not match Content-Length'), 400),
      400,
      'invalid_json',
    ],
    [
      'a body that is not gzip, on Express',
      httpError('incorrect header check', 400, { code: 'Z_DATA_ERROR', errno: -3 }),
      400,
      'invalid_json',
    ],
    [
      'a path that is not UTF-8, on Express',
      nest.mapExternalException(new URIError("Failed to decode param '%FF'")),
      400,
      'invalid_parameter',
    ],
    [
      'a path that is not UTF-8 and mentions JSON, on Express',
      nest.mapExternalException(new URIError("Failed to decode param 'JSON%FF'")),
      400,
      'invalid_parameter',
    ],
    [
      'a path that is not UTF-8, on Fastify',
      fastifyError("'/c/%FF' is not a valid url component", 400, 'FST_ERR_BAD_URL'),
      400,
      'invalid_parameter',
    ],
    [
      'a body of 2 MB, on Express',
      httpError('request entity too large', 413, { type: 'entity.too.large', limit: 102_400 }),
      413,
      'payload_too_large',
    ],
    [
      'a body of 2 MB, on Fastify 4',
      fastifyError('Request body is too large', 413, 'FST_ERR_CTP_BODY_TOO_LARGE'),
      413,
      'payload_too_large',
    ],
    [
      'a body of 2 MB, on Fastify 5',
      nest.mapFastifyError(new Error('Request body is too large'), 413),
      413,
      'payload_too_large',
    ],
    [
      'the charset koi8, on Express',
      httpError('unsupported charset "KOI8"', 415, { type: 'charset.unsupported', charset: 'koi8' }),
      415,
      'unsupported_media_type',
    ],
    [
      'the coding nope, on Express',
      httpError('unsupported content encoding "nope"', 415, { type: 'encoding.unsupported' }),
      415,
      'unsupported_media_type',
    ],
    ['a token that a middleware refuses', httpError('invalid csrf token', 403), 403, 'forbidden'],
  ])('gives the same problem as in Nest 12 for %s', (_title, exception, status, code) => {
    expect(problemOf(exception)).toMatchObject({ status, code });
  });

  it.each<[thrown: string, exception: unknown]>([
    ['a bad request of the host that mentions JSON', new BadRequestException('meta is not valid JSON')],
    ['a bad request of the host that mentions a path', new BadRequestException("Failed to decode param 'x'")],
    [
      'another bad request of a middleware',
      nest.mapFastifyError(new Error('prototype property is not allowed as field name'), 400),
    ],
    ['a bad request of http-errors', httpError('no such voucher', 400)],
  ])('gives bad_request for %s', (_title, exception) => {
    expect(problemOf(exception)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it.each<[thrown: string, exception: unknown, status: number]>([
    ['an error that is not to be exposed', httpError('/etc/secret', 404, { expose: false }), 404],
    ['a 502 of a middleware', httpError('/etc/secret', 502), 500],
    ['an error that only has a status', Object.assign(new Error('/etc/secret'), { statusCode: 404 }), 500],
    ['an error with an invalid status', httpError('/etc/secret', 4.5, { expose: true }), 500],
  ])('hides the message of %s', (_title, exception, status) => {
    const problem = problemOf(exception);

    expect(problem.status).toBe(status);
    expect(problem.detail).not.toContain('secret');
  });
});

describe('the filter', () => {
  afterEach(() => vi.restoreAllMocks());

  /** @returns what was sent, and how many errors were logged */
  const caught = (
    exception: unknown,
    more: object = {},
    type = 'http',
  ): [sent: unknown[], logged: number] => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const sent: unknown[] = [];
    const response = {
      status: (code: number) => sent.push(code),
      header: (name: string, value: string) => sent.push(`${name}: ${value}`),
      send: (body: Buffer) => sent.push(JSON.parse(String(body)).code),
      ...more,
    };
    const host = { getType: () => type, switchToHttp: () => ({ getResponse: () => response }) };
    new ProblemDetailsFilter().catch(exception, host as unknown as ArgumentsHost);
    return [sent, logged.mock.calls.length];
  };

  it('answers with a problem, and logs only server errors', () => {
    const type = 'Content-Type: application/problem+json';

    expect(caught(new ForbiddenException())).toEqual([[403, type, 'forbidden'], 0]);
    expect(caught(new InternalServerErrorException())).toEqual([[500, type, 'internal_server_error'], 1]);
  });

  it('answers for a middleware on Fastify, which has only Node’s response', () => {
    const sent: unknown[] = [];
    const response = {
      writeHead: (...head: unknown[]) => {
        sent.push(...head);
        return { end: (body: Buffer) => sent.push(JSON.parse(String(body)).code) };
      },
    };
    const host = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => response }) };

    const answer = (exception: unknown): unknown[] => {
      new ProblemDetailsFilter().catch(exception, host as unknown as ArgumentsHost);
      return sent.splice(0);
    };
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);

    const type = { 'Content-Type': 'application/problem+json' };
    expect(answer(new ForbiddenException())).toEqual([403, type, 'forbidden']);
    // A middleware of the host's that calls a service.
    expect(answer(new DatabaseUnavailableError(undefined))).toEqual([
      503,
      { ...type, 'Retry-After': '1' },
      'database_unavailable',
    ]);
    expect(logged).toHaveBeenCalledOnce();
  });

  it.each([{ headersSent: true }, { sent: true }])('adds nothing to an answer with %j', (more) => {
    expect(caught(new Error('late'), more)).toEqual([[], 1]);
  });

  it('leaves everything except HTTP to the host', () => {
    expect(() => caught(new Error('of a query'), {}, 'graphql')).toThrow('of a query');
  });
});
