import { describe, expect, it } from 'vitest';
import { type HttpRequest, InvalidJsonError, urlOf } from './request.js';

const at = (url: string, originalUrl?: string): HttpRequest => ({
  url,
  originalUrl,
  headers: {},
  params: {},
});

describe('a request', () => {
  it.each<[url: string, originalUrl: string | undefined, path: string, query: string]>([
    ['/methods', undefined, '/methods', ''],
    ['/methods/', undefined, '/methods', ''],
    ['/methods?a=1&b=?', undefined, '/methods', 'a=1&b=?'],
    ['/methods/?', undefined, '/methods', ''],
    ['/methods', '/api/methods?a=/', '/api/methods', 'a=/'],
  ])('for %s of %s is for the path %s and asks %j', (url, originalUrl, path, query) => {
    expect(urlOf(at(url, originalUrl))).toEqual({ path, search: query });
  });

  it('whose body is no JSON keeps the cause of its refusal', () => {
    const cause = new SyntaxError('Unexpected end');

    expect(new InvalidJsonError(cause)).toMatchObject({ code: 'invalid_json', cause });
  });
});
