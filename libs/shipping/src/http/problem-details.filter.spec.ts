import {
  BadRequestException,
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  Logger,
  NotFoundException,
  UnprocessableEntityException,
} from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailableError } from '../database/database.errors.js';
import { ProblemDetailsFilter, problemOf } from './problem-details.filter.js';

const caused = (cause: unknown): BadRequestException => new BadRequestException('Bad', { cause });

const refused = (message: string): ForbiddenException => new ForbiddenException(message);
const missing = (message: string): NotFoundException => new NotFoundException(message);

describe('problemOf()', () => {
  it.each([
    ['a body that is not JSON', caused(new SyntaxError('Unexpected token')), 400, 'invalid_json'],
    ['a path that is not UTF-8', caused(new URIError('URI malformed')), 400, 'invalid_parameter'],
    ['a missing route', missing('Cannot GET /x'), 404, 'route_not_found'],
    ['a missing route of any method', missing('Cannot M-SEARCH /x'), 404, 'route_not_found'],
  ])('gives our own problem for %s', (_title, exception, status, code) => {
    expect(problemOf(exception)).toMatchObject({ status, code });
  });

  it.each([
    ['a bad request', new BadRequestException('Choose a size.'), 'bad_request', 'Choose a size.'],
    ['a bad request with a cause', caused(new Error('size')), 'bad_request', 'Bad'],
    ['a bad request caused by a text', caused('size'), 'bad_request', 'Bad'],
    ['something missing', missing('No such cart.'), 'not_found', 'No such cart.'],
    ['words that mention a route', missing('We Cannot GET it'), 'not_found', 'We Cannot GET it'],
    ['a refusal that names a route', refused('Cannot GET /x'), 'forbidden', 'Cannot GET /x'],
    ['another status', new UnprocessableEntityException('No.'), 'unprocessable_entity', 'No.'],
    ['a status without words', new HttpException('', 422), 'unprocessable_entity', 'Unprocessable entity.'],
  ])('keeps the host’s words for %s', (_title, exception, code, detail) => {
    expect(problemOf(exception)).toMatchObject({ status: exception.getStatus(), code, detail });
  });

  it.each([
    [new Error('password=secret'), 500, 'Internal server error'],
    [new InternalServerErrorException('password=secret'), 500, 'Internal server error'],
    [new HttpException('password=secret', 599), 599, 'Error'],
  ])('hides the message of a server error: %s', (exception, status, title) => {
    expect(problemOf(exception)).toMatchObject({ status, title, detail: `${title}.` });
  });

  it.each([
    [{ type: 'entity.parse.failed' }, 'invalid_json'],
    [{ type: 'request.size.invalid' }, 'invalid_json'],
    [{ code: 'Z_DATA_ERROR' }, 'invalid_json'],
    [{ code: 'FST_ERR_CTP_EMPTY_JSON_BODY' }, 'invalid_json'],
    [{ code: 'XZ_DATA' }, 'bad_request'],
    [{ code: 'FST_ERR_CTP_EMPTY_JSON_BODY_X' }, 'bad_request'],
    [{ type: 'entity' }, 'bad_request'],
  ])('takes a body that was refused with %j for %s, but only with a 400', (sign, code) => {
    const cause = Object.assign(new Error('no'), sign);

    expect(problemOf(new BadRequestException('No', { cause }))).toMatchObject({ code });
    expect(problemOf(new ForbiddenException('No', { cause }))).toMatchObject({ code: 'forbidden' });
  });
});

/** Like Nest 10 and 11, which keep only the message of an error of a parser or the router. */
class RoutesResolver {
  mapExternalException({ message }: Error): HttpException {
    return new BadRequestException(message);
  }

  /** Nest 11, for errors of Fastify. */
  mapFastifyError(message: string, statusCode: number): HttpException {
    const mapExternalException = (): HttpException => new HttpException(message, statusCode);
    return mapExternalException();
  }
}

const nest = new RoutesResolver();
const notJson = (message: string): HttpException => nest.mapExternalException(new SyntaxError(message));
const notUtf8 = (message: string): HttpException => nest.mapExternalException(new URIError(message));

/** An error of `http-errors`, or an error of zlib from body-parser. Nest 10 and 11 pass it on. */
const httpError = (message: string, status: number, more: object = {}): Error =>
  Object.assign(new Error(message), { status, statusCode: status, expose: status < 500, ...more });

/** An error of Fastify. Nest 10 passes it on. */
const fastifyError = (message: string, statusCode: number, code: string): Error =>
  Object.assign(new Error(message), { name: 'FastifyError', statusCode, code });

const noJson = "Body is not valid JSON but content-type is set to 'application/json'";
const noBody = "Body cannot be empty when content-type is set to 'application/json'";
const otherLength = 'Request body size did not match Content-Length';
const zlib = { code: 'Z_DATA_ERROR', errno: -3 };

describe('problemOf() for body parsers and routers of Nest 10 and 11', () => {
  it.each<[code: string, status: number, platform: string, exception: unknown]>([
    ['invalid_json', 400, 'Express', notJson('Unexpected end of JSON input')],
    ['invalid_json', 400, 'Express', notJson('Unexpected token \'"\', ""x"" is not valid JSON')],
    ['invalid_json', 400, 'Express', httpError('incorrect header check', 400, zlib)],
    ['invalid_json', 400, 'Fastify 4', notJson('Object contains forbidden prototype property')],
    ['invalid_json', 400, 'Fastify 4', fastifyError(noBody, 400, 'FST_ERR_CTP_EMPTY_JSON_BODY')],
    ['invalid_json', 400, 'Fastify 5', nest.mapFastifyError(noJson, 400)],
    ['invalid_json', 400, 'Fastify 5', nest.mapFastifyError(otherLength, 400)],
    ['invalid_parameter', 400, 'Express', notUtf8("Failed to decode param 'JSON%FF'")],
    ['invalid_parameter', 400, 'Fastify', fastifyError("'/%FF' is not valid", 400, 'FST_ERR_BAD_URL')],
    ['payload_too_large', 413, 'Express', httpError('too large', 413, { type: 'entity.too.large' })],
    ['payload_too_large', 413, 'Fastify 4', fastifyError('too large', 413, 'FST_ERR_CTP_BODY_TOO_LARGE')],
    ['payload_too_large', 413, 'Fastify 5', nest.mapFastifyError('Request body is too large', 413)],
    ['unsupported_media_type', 415, 'Express', httpError('unsupported charset', 415)],
    ['forbidden', 403, 'a middleware', httpError('invalid csrf token', 403)],
    ['bad_request', 400, 'a middleware', httpError('no such voucher', 400)],
    ['bad_request', 400, 'a middleware', nest.mapFastifyError('prototype property is not allowed', 400)],
    ['bad_request', 400, 'the host', new BadRequestException('meta is not valid JSON')],
    ['bad_request', 400, 'the host', new BadRequestException("Failed to decode param 'x'")],
  ])('gives %s, as in Nest 12, for a %i of %s: %s', (code, status, _platform, exception) => {
    expect(problemOf(exception)).toMatchObject({ status, code });
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
      serializer: () => undefined,
      send: (body: string) => sent.push(JSON.parse(body).code),
      ...more,
    };
    const host = new ExecutionContextHost([undefined, response]);
    host.setType(type);
    new ProblemDetailsFilter().catch(exception, host);
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
        return { end: (body: string) => sent.push(JSON.parse(body).code) };
      },
    };
    const host = new ExecutionContextHost([undefined, response]);

    const answer = (exception: unknown): unknown[] => {
      new ProblemDetailsFilter().catch(exception, host);
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
