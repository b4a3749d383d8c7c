import { describe, expect, it } from 'vitest';
import { ifNoneMatch } from './conditional.js';

describe('If-None-Match', () => {
  it.each<[header: string | undefined, etag: string, matches: boolean]>([
    ['"a"', '"a"', true],
    ['"a"', '"b"', false],
    ['W/"a"', '"a"', true],
    // A host may set a weak ETag.
    ['"a"', 'W/"a"', true],
    ['W/"a"', 'W/"a"', true],
    ['W/"a"', 'W/"b"', false],
    ['"b", W/"a"', '"a"', true],
    // The mark of a weak tag is outside of the quotes.
    ['"W/a"', '"a"', false],
    ['"a"', '"W/a"', false],
    ['w/"a"', '"a"', false],
    ['*', '"a"', true],
    ['a', '"a"', false],
    ['"a" "b"', '"a"', false],
    ['', '"a"', false],
    [undefined, '"a"', false],
  ])('%s matches the ETag %s: %s', (header, etag, matches) => {
    expect(ifNoneMatch(header, etag)).toBe(matches);
  });
});
