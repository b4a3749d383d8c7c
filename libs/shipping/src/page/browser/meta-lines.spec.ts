import { describe, expect, it } from 'vitest';
import { faultyLine, linesOf, metaOf } from './meta-lines.js';

describe('the lines of details', () => {
  it.each<[object, string]>([
    [{}, ''],
    [{ days: 5, express: true }, 'days: 5\nexpress: true'],
    [{ phone: '01234', zip: '5', name: 'a: b' }, 'phone: 01234\nzip: "5"\nname: a: b'],
    [{ price: '1.50', ean: '12345678901234567' }, 'price: 1.50\nean: 12345678901234567'],
    [{ parcels: [1, 2] }, 'parcels: [1,2]'],
    [{ signature: '✓' }, 'signature: "✓"'],
    [{ note: 'first: 1\n\nlast', days: 5 }, 'note: first: 1\n  \n  last\ndays: 5'],
    [{ note: 'first\r\nlast', blank: ' x' }, 'note: "first\\r\\nlast"\nblank: " x"'],
    [{ 'a:b': 1 }, '{"a:b":1}'],
    [{ ' a': 1 }, '{" a":1}'],
  ])('show and read %j', (meta, lines) => {
    expect(linesOf(meta)).toBe(lines);
    expect(metaOf(lines)).toEqual(meta);
  });

  it('may have blank lines and blanks around the colon', () => {
    expect(metaOf('\n days : 5 \r\n\nnote: a\r\n  b')).toEqual({ days: 5, note: 'a\nb' });
  });

  it('may have the signs for yes and no that the list shows', () => {
    expect(metaOf('signature: ✓\nsaturday: ✗')).toEqual({ signature: true, saturday: false });
  });

  it.each([
    ['six', 1],
    [': 6', 1],
    ['  : 6', 1],
    ['"six"', 1],
    ['{"days": 5', 1],
    ['days: 5\ndays : 6', 2, 'days'],
    ['note: a\r\n  b\r\n\r\nsix\r\nseven', 4],
  ])(
    'stay a text, which the API refuses, if they are not names with values, each once: %j, line %i',
    (text, line, repeated?: string) => {
      expect(metaOf(text)).toBe(text);
      expect(faultyLine(text)).toEqual({ line, repeated });
    },
  );
});
