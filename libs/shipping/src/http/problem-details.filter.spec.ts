import { BadRequestException, ForbiddenException, NotFoundException } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { problemOf } from './problem-details.filter.js';

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
});
