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

  it('of an older Fastify has its url only in the request of Node', () => {
    expect(urlOf({ raw: { url: '/methods?a=1' }, headers: {}, params: {} })).toEqual({
      path: '/methods',
      search: 'a=1',
    });
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

  const typed = (type: string): HttpRequest => ({
    ...coded(undefined),
    headers: { 'content-type': type, 'content-length': '2' },
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF8"'])(
    'with the type %s has a body in UTF-8',
    (type) => {
      expect(jsonBody(typed(type))).toEqual({});
    },
  );

  it.each(['us-ascii', '"US-ASCII"', 'iso-8859-1', 'utf-16', 'utf-7', 'utf-8859'])(
    'with the charset %s is refused, because only UTF-8 is read',
    (charset) => {
      expect(() => jsonBody(typed(`application/json; charset=${charset}`))).toThrow(
        UnsupportedMediaTypeError,
      );
    },
  );
});
