import { describe, expect, it } from 'vitest';
import { type HttpRequest, InvalidJsonError, jsonBody, UnsupportedMediaTypeError, urlOf } from './request.js';

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

  const coded = (coding: string | undefined): HttpRequest => ({
    ...at('/methods'),
    headers: {
      'content-type': 'application/json',
      'content-length': '2',
      ...(coding !== undefined && { 'content-encoding': coding }),
    },
    body: {},
  });

  it.each([undefined, '', 'identity', 'gzip', 'GZip', 'deflate, br', 'zstd'])(
    'whose body is coded as %j was decoded by the host',
    (coding) => {
      expect(jsonBody(coded(coding))).toEqual({});
    },
  );

  it.each(['nope', 'gzip, nope', 'gzipped', 'no gzip', 'gzip br'])(
    'whose body is coded as %j was decoded by nobody',
    (coding) => {
      expect(() => jsonBody(coded(coding))).toThrow(UnsupportedMediaTypeError);
    },
  );

  it('whose body is no JSON keeps the cause of its refusal', () => {
    const cause = new SyntaxError('Unexpected end');

    expect(new InvalidJsonError(cause)).toMatchObject({ code: 'invalid_json', cause });
  });
});
