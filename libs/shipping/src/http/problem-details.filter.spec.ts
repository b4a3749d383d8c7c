import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  Logger,
  NotFoundException,
  UnprocessableEntityException,
} from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { QueryFailedError } from 'typeorm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../database/database.errors.js';
import { ProblemDetailsFilter, problemOf } from './problem-details.filter.js';

const caused = (cause: unknown): BadRequestException => new BadRequestException('Bad', { cause });

const parserError = Object.assign(new SyntaxError(), { statusCode: 400, expose: true, cause: null });

const missing = (message: string): NotFoundException => new NotFoundException(message);

describe('problemOf()', () => {
  it.each([
    ['a body that is not JSON', caused(new SyntaxError('Unexpected token')), 400, 'invalid_json'],
    ['a path that is not UTF-8', caused(new URIError('URI malformed')), 400, 'invalid_parameter'],
    ['a parser’s error with the cause null', parserError, 400, 'invalid_json'],
  ])('returns our own problem for %s', (_title, exception, status, code) => {
    expect(problemOf(exception)).toMatchObject({ status, code });
  });

  it.each([
    ['a bad request', new BadRequestException('Choose a size.'), 'bad_request', 'Choose a size.'],
    [
      'a list of messages',
      new BadRequestException(['a must be 1', 'b is bad']),
      'bad_request',
      'a must be 1. b is bad.',
    ],
    [
      'a list of sentences',
      new BadRequestException(['Choose a size.', 'No a!']),
      'bad_request',
      'Choose a size. No a!',
    ],
    ['a list of objects', new BadRequestException([{ field: 'a' }]), 'bad_request', 'Bad Request Exception'],
    ['an empty list', new BadRequestException([]), 'bad_request', 'Bad Request Exception'],
    ['a bad request with a cause', caused(new Error('size')), 'bad_request', 'Bad'],
    ['a bad request caused by a text', caused('size'), 'bad_request', 'Bad'],
    ['something missing', missing('No such cart.'), 'not_found', 'No such cart.'],
    ['a missing route', missing('Cannot GET /x'), 'not_found', 'Cannot GET /x'],
    ['another status', new UnprocessableEntityException('No.'), 'unprocessable_entity', 'No.'],
    ['a status without words', new HttpException('', 422), 'unprocessable_entity', 'Unprocessable entity.'],
  ])('keeps the host’s words for %s', (_title, exception, code, detail) => {
    expect(problemOf(exception)).toMatchObject({ status: exception.getStatus(), code, detail });
  });

  it('keeps the members that the host has added, except those with a name of ours', () => {
    const response = {
      message: 'Some lines have faults.',
      faults: [{ line: 2 }],
      status: 'x',
      statusCode: 400,
      error: 'x',
    };

    expect(problemOf(new BadRequestException(response))).toEqual({
      type: 'urn:problem:shipping:bad_request',
      title: 'Bad request',
      status: 400,
      code: 'bad_request',
      detail: 'Some lines have faults.',
      faults: [{ line: 2 }],
    });
    expect(problemOf(new InternalServerErrorException(response))).not.toHaveProperty('faults');
    expect(problemOf(new BadRequestException('text'))).not.toHaveProperty('0');
  });

  it('keeps the members of a response that is an instance of a class', () => {
    class Faults {
      readonly message = 'Some lines have faults.';
      readonly faults = [{ line: 2 }];
    }

    expect(problemOf(new BadRequestException(new Faults()))).toMatchObject({
      detail: 'Some lines have faults.',
      faults: [{ line: 2 }],
    });
    const order = { number: 7, email: 'anna@example.com', toJSON: () => ({ number: 7 }) };
    const problem = problemOf(new ConflictException(order));
    expect(problem).toMatchObject({ number: 7 });
    expect(problem).not.toHaveProperty('email');
  });

  it('hides an error that the host has passed as the response', () => {
    const duplicate = new Error("Duplicate entry 'anna@example.com' for key 'email'");
    const failed = new QueryFailedError('UPDATE customer SET email = ?', ['anna@example.com'], duplicate);

    expect(problemOf(new BadRequestException(failed))).toEqual({
      type: 'urn:problem:shipping:bad_request',
      title: 'Bad request',
      status: 400,
      code: 'bad_request',
      detail: 'Bad request.',
    });
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
    [{ type: 'request.size.invalid' }, 'bad_request'],
    [{ code: 'Z_DATA_ERROR' }, 'bad_request'],
    [{ code: 'FST_ERR_CTP_EMPTY_JSON_BODY' }, 'invalid_json'],
    [{ code: 'FST_ERR_CTP_INVALID_JSON_BODY' }, 'invalid_json'],
    [{ code: 'FST_ERR_CTP_EMPTY_JSON_BODY_X' }, 'bad_request'],
    [{ type: 'entity' }, 'bad_request'],
  ])('turns the error %j of a body parser into %s, but only with the status 400', (sign, code) => {
    const cause = Object.assign(new Error('no'), sign);

    expect(problemOf(new BadRequestException('No', { cause }))).toMatchObject({ code });
    expect(problemOf(new ForbiddenException('No', { cause }))).toMatchObject({ code: 'forbidden' });
  });
});

/** An error of `http-errors`. Nest 10 and 11 pass it on. */
const httpError = (message: string, status: number, more: object = {}): Error =>
  Object.assign(new Error(message), { status, statusCode: status, expose: status < 500, ...more });

/** An error of Fastify. Nest 10 passes it on. */
const fastifyError = (message: string, statusCode: number, code: string): Error =>
  Object.assign(new Error(message), { name: 'FastifyError', statusCode, code });

describe('problemOf() for errors that Nest passes on', () => {
  it.each<[code: string, status: number, platform: string, exception: unknown]>([
    ['invalid_json', 400, 'Fastify', fastifyError('no body', 400, 'FST_ERR_CTP_EMPTY_JSON_BODY')],
    ['invalid_parameter', 400, 'Fastify', fastifyError("'/%FF' is not valid", 400, 'FST_ERR_BAD_URL')],
    ['payload_too_large', 413, 'Express', httpError('too large', 413, { type: 'entity.too.large' })],
    ['payload_too_large', 413, 'Fastify', fastifyError('too large', 413, 'FST_ERR_CTP_BODY_TOO_LARGE')],
    ['unsupported_media_type', 415, 'Express', httpError('unsupported charset', 415)],
    ['forbidden', 403, 'a middleware', httpError('invalid csrf token', 403)],
    ['bad_request', 400, 'a middleware', httpError('no such voucher', 400)],
    ['bad_request', 400, 'the host', new BadRequestException('meta is not valid JSON')],
    ['bad_request', 400, 'the host', new BadRequestException("Failed to decode param 'x'")],
  ])('gives %s for a %i of %s: %s', (code, status, _platform, exception) => {
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

/** TypeORM throws such an error, with the statement and its values. */
const failedQuery = (code: string, message: string): Error =>
  new QueryFailedError('UPDATE x SET y = $1', ['secret'], Object.assign(new Error(message), { code }));

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

  it('responds with a problem, and logs only server errors', () => {
    const type = 'Content-Type: application/problem+json';

    expect(caught(new ForbiddenException())).toEqual([[403, type, 'forbidden'], 0]);
    expect(caught(new InternalServerErrorException())).toEqual([[500, type, 'internal_server_error'], 1]);
  });

  it('responds with only Node’s response, as a middleware on Fastify has', () => {
    const sent: unknown[] = [];
    const response = {
      setHeader: (name: string, value: string) => sent.push(`${name}: ${value}`),
      end: (body: string) => sent.push(JSON.parse(body).code),
    };
    const host = new ExecutionContextHost([undefined, response]);

    // The error comes from a service that a middleware of the host has called.
    vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    new ProblemDetailsFilter().catch(new DatabaseUnavailableError(undefined), host);

    expect(response).toMatchObject({ statusCode: 503 });
    expect(sent).toEqual([
      expect.stringMatching(/^Retry-After: [123]$/),
      'Content-Type: application/problem+json',
      expect.stringMatching(/^Content-Length: \d+$/),
      'database_unavailable',
    ]);
  });

  it('adds nothing to a response of Fastify that was sent', () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const response = { serializer: () => undefined, sent: true };

    const respond = (): void =>
      new ProblemDetailsFilter().catch(new Error('late'), new ExecutionContextHost([undefined, response]));

    // The response has no other functions, so a call of one would throw.
    expect(respond).not.toThrow();
  });

  it('ends a response of Node that was begun, and adds nothing to it', () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const response = { headersSent: true, end: vi.fn<() => void>() };

    new ProblemDetailsFilter().catch(new Error('late'), new ExecutionContextHost([undefined, response]));

    expect(response.end.mock.calls).toEqual([[]]);
  });

  it.each<[level: 'error' | 'warn', error: Error, line: string]>([
    [
      'warn',
      new DatabaseUnavailableError(failedQuery('55P03', 'canceling statement due to lock timeout'), 'lock'),
      'database_unavailable (contention: lock) 55P03 canceling statement due to lock timeout',
    ],
    [
      'error',
      new DatabaseUnavailableError(Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })),
      'database_unavailable ECONNREFUSED',
    ],
    [
      'error',
      new OutcomeUnknownError(failedQuery('57P01', 'terminating connection')),
      'outcome_unknown 57P01 terminating connection',
    ],
    ['error', new DatabaseUnavailableError(undefined), 'database_unavailable'],
  ])('logs once, by %s, the code and message of the driver: %s', (level, error, line) => {
    const logged: unknown[] = [];
    vi.spyOn(Logger.prototype, 'error').mockImplementation((text) => logged.push('error', text));
    vi.spyOn(Logger.prototype, 'warn').mockImplementation((text) => logged.push('warn', text));

    const response = { headersSent: true, end: () => undefined };
    new ProblemDetailsFilter().catch(error, new ExecutionContextHost([undefined, response]));

    expect(logged).toEqual([level, line]);
  });

  it('leaves everything except HTTP to the host', () => {
    expect(() => caught(new Error('of a query'), {}, 'graphql')).toThrow('of a query');
  });
});
