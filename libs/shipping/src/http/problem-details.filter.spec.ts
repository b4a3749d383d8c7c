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
import { ProblemDetailsFilter, problemOf } from './problem-details.filter.js';

const caused = (cause: unknown): BadRequestException => new BadRequestException('Bad', { cause });

describe('the problem of', () => {
  it.each([
    ['a body that is no JSON', caused(new SyntaxError('Unexpected token')), 400, 'invalid_json'],
    ['a path that is no UTF-8', caused(new URIError('URI malformed')), 400, 'invalid_parameter'],
    ['a missing route', new NotFoundException('Cannot GET /x'), 404, 'route_not_found'],
  ])('%s is ours', (_title, exception, status, code) => {
    expect(problemOf(exception)).toMatchObject({ status, code });
  });

  it.each([
    ['a bad request', new BadRequestException('Choose a size.'), 400, 'bad_request', 'Choose a size.'],
    ['a bad request with a cause', caused(new Error('size')), 400, 'bad_request', 'Bad'],
    ['a bad request caused by a text', caused('size'), 400, 'bad_request', 'Bad'],
    ['something missing', new NotFoundException('No such cart.'), 404, 'not_found', 'No such cart.'],
    [
      'what only speaks of a route',
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
  ])('%s of the host is the host’s', (_title, exception, status, code, detail) => {
    expect(problemOf(exception)).toMatchObject({ status, code, detail });
  });

  it('what nobody foresaw says nothing of itself', () => {
    const problem = problemOf(new Error('password=secret'));
    expect(problem).toMatchObject({ status: 500, code: 'internal_server_error' });
    expect(JSON.stringify(problem)).not.toContain('secret');
  });

  it.each([
    [new InternalServerErrorException('password=secret'), 'Internal server error'],
    [new ServiceUnavailableException('password=secret'), 'Service unavailable'],
    [new HttpException('password=secret', 599), 'Error'],
  ])('what the host says of its own fault stays with it: %s', (exception, title) => {
    expect(problemOf(exception)).toMatchObject({ title, detail: `${title}.` });
  });

  it('a refusal without words is called by its status', () => {
    const problem = problemOf(new HttpException('', 422));

    expect(problem).toMatchObject({ title: 'Unprocessable entity', detail: 'Unprocessable entity.' });
    expect(problemOf(new UnprocessableEntityException('No.'))).toMatchObject({ detail: 'No.' });
  });

  it.each([
    { type: 'entity.parse.failed' },
    { type: 'request.size.invalid' },
    { code: 'Z_DATA_ERROR' },
    { code: 'FST_ERR_CTP_EMPTY_JSON_BODY' },
  ])('a body that a parser refused with %j is no JSON, and only with a 400', (sign) => {
    const cause = Object.assign(new Error('no'), sign);

    expect(problemOf(new BadRequestException('No', { cause }))).toMatchObject({ code: 'invalid_json' });
    expect(problemOf(new ForbiddenException('No', { cause }))).toMatchObject({ code: 'forbidden' });
  });

  it.each([{ code: 'XZ_DATA' }, { code: 'FST_ERR_CTP_EMPTY_JSON_BODY_X' }, { type: 'entity' }])(
    'a body that was refused with %j is the host’s to explain',
    (sign) => {
      const cause = Object.assign(new Error('no'), sign);

      expect(problemOf(new BadRequestException('No', { cause }))).toMatchObject({ code: 'bad_request' });
    },
  );
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

  it('answers with a problem, and logs what is no fault of the client', () => {
    const type = 'Content-Type: application/problem+json';

    expect(caught(new ForbiddenException())).toEqual([[403, type, 'forbidden'], 0]);
    expect(caught(new InternalServerErrorException())).toEqual([[500, type, 'internal_server_error'], 1]);
  });

  it.each([{ headersSent: true }, { sent: true }])('adds nothing to an answer with %j', (more) => {
    expect(caught(new Error('late'), more)).toEqual([[], 1]);
  });

  it('leaves what is not HTTP to the host', () => {
    expect(() => caught(new Error('of a queue'), {}, 'rpc')).toThrow('of a queue');
  });
});
