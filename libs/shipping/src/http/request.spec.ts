import { describe, expect, it } from 'vitest';
import { type HttpRequest, jsonBody, UnsupportedMediaTypeError, urlOf } from './request.js';

const at = (originalUrl: string): HttpRequest => ({ originalUrl, headers: {}, params: {} });

describe('a request', () => {
  it.each<[url: string, path: string, query: string]>([
    ['/methods', '/methods', ''],
    ['/methods/', '/methods', ''],
    ['/methods?a=1&b=?', '/methods', 'a=1&b=?'],
    ['/methods/?', '/methods', ''],
    ['/api/methods?a=/', '/api/methods', 'a=/'],
  ])('with the url %s has the path %s and the query %j', (url, path, query) => {
    expect(urlOf(at(url))).toEqual({ path, search: query });
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
    'with the content coding %j has a body that the host has decoded',
    (coding) => {
      expect(jsonBody(coded(coding))).toEqual({});
    },
  );

  it.each(['nope', 'gzip, nope', 'gzipped', 'no gzip', 'gzip br'])(
    'with the content coding %j is refused, because nobody has decoded its body',
    (coding) => {
      expect(() => jsonBody(coded(coding))).toThrow(UnsupportedMediaTypeError);
    },
  );
});
