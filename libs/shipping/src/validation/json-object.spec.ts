import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { Violations, ValidationFailedError } from './violations.js';
import { checkJsonObject, maxJsonBytes } from './json-object.js';

class Money {
  amount = 1;
}

function checked(value: unknown): { copy: unknown; refused: string[] } {
  const violations = new Violations();
  const copy = checkJsonObject(violations, '/meta', value);
  try {
    violations.throwIfAny();
  } catch (error) {
    if (!(error instanceof ValidationFailedError)) throw error;
    return {
      copy,
      refused: error.violations.map(({ pointer, code }) => `${pointer} ${code}`),
    };
  }
  return { copy, refused: [] };
}

/** An object whose JSON has this number of bytes. One of its characters takes two of them. */
const ofBytes = (bytes: number): object => ({ a: `ü${'x'.repeat(bytes - '{"a":"ü"}'.length - 1)}` });

describe('the value of a JSON column', () => {
  it.each<[what: string, value: unknown]>([
    ['an empty object', {}],
    [
      'an object with every kind of value',
      { a: null, b: true, c: 1.5, d: 'x', e: [1, [false]], f: { g: -1 } },
    ],
    ['the largest object', ofBytes(maxJsonBytes)],
    ['an object with the greatest integers', { max: Number.MAX_SAFE_INTEGER, min: Number.MIN_SAFE_INTEGER }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['an object of another realm', runInNewContext('({ a: { b: [1] } })')],
    [
      'an object with members that are undefined',
      { a: undefined, b: { c: undefined, constructor: undefined } },
    ],
    ['an object with a list that has undefined', { a: [undefined, 1] }],
    ['an object with a Date', { a: new Date(0), b: [{ c: new Date(1) }] }],
    ['an object with a Date of another realm', runInNewContext('({ a: new Date(0) })')],
    ['an object of eight levels', { a: { b: { c: { d: { e: { f: { g: {} } } } } } } }],
  ])('may be %s, and is copied', (_what, value) => {
    const { copy, refused } = checked(value);

    expect(refused).toEqual([]);
    expect(copy).toEqual(JSON.parse(JSON.stringify(value)));
    expect(copy).not.toBe(value);
  });

  it.each<[what: string, value: unknown, ...refused: string[]]>([
    ['null', null, '/meta type'],
    ['a list', [], '/meta type'],
    ['a date', new Date(), '/meta type'],
    ['an instance of a class', new Money(), '/meta type'],
    ['an object with a function', { a: () => 1 }, '/meta/a type'],
    ['an object with an instance of a class', { a: new Money() }, '/meta/a type'],
    ['an object with a bigint', { a: 1n }, '/meta/a type'],
    ['an object with an invalid Date', { a: new Date(Number.NaN) }, '/meta/a type'],
    ['an object with a symbol', { a: Symbol('a') }, '/meta/a type'],
    ['an object with NaN', { a: Number.NaN }, '/meta/a type'],
    ['an object with Infinity', { a: Number.POSITIVE_INFINITY }, '/meta/a range'],
    [
      'an object of nine levels',
      { a: { b: { c: { d: { e: { f: { g: { h: {} } } } } } } } },
      '/meta/a/b/c/d/e/f/g/h too_deep',
    ],
    ['an object that is a byte too large', ofBytes(maxJsonBytes + 1), '/meta too_large'],
    [
      'an object with too many values',
      { a: Array.from({ length: maxJsonBytes + 1 }, () => 1) },
      '/meta too_large',
    ],
    [
      'an object with small numbers that are long when written out',
      { a: Array.from({ length: 60 }, () => 1e-300) },
      '/meta too_large',
    ],
    [
      'an object with a forbidden key and a NUL',
      { constructor: 1, b: '\0' },
      '/meta/constructor not_allowed',
      '/meta/b format',
    ],
  ])('cannot be %s', (_what, value, ...refused) => {
    expect(checked(value)).toEqual({ copy: null, refused });
  });

  it('has a Date as its ISO text, although the host writes Dates in another form', () => {
    const host = vi.spyOn(Date.prototype, 'toJSON').mockReturnValue('1 January');

    const { copy } = checked({ a: new Date(0) });

    host.mockRestore();
    expect(copy).toEqual({ a: '1970-01-01T00:00:00.000Z' });
  });

  it('cannot have more holes than bytes, and is not serialised to count them', () => {
    const toJSON = (): never => {
      throw new Error('written');
    };

    const holes = Object.defineProperty([] as number[], 'toJSON', { value: toJSON });
    holes.length = maxJsonBytes + 1;

    expect(checked({ a: holes })).toEqual({ copy: null, refused: ['/meta too_large'] });
  });

  it('may have small numbers that take 16 KiB without exponents', () => {
    // Each of them takes 300 zeros, its own six characters and a comma.
    const fits = Math.floor((maxJsonBytes - '{"a":[]}'.length) / (300 + '1e-300,'.length));

    expect(checked({ a: Array.from({ length: fits }, () => 1e-300) }).refused).toEqual([]);
    expect(checked({ a: Array.from({ length: fits + 1 }, () => 1e-300) }).refused).toEqual([
      '/meta too_large',
    ]);
  });
});
