import fc from 'fast-check';

/** Text that often breaks parsers. */
export const oddTexts = [
  '', ' ', '\0', 'a\0b', '\uD800', '\uDC00x', '\u202Etxt', '\uFEFF', 'e\u0301', '😀'.repeat(40), '﷽', 'İıß',
  '../..', '..%2f', "' OR 1=1 --", '${7*7}', '{{7*7}}', '<script>', '__proto__', 'constructor', 'toString',
  'null', 'undefined', 'NaN', '-1', '0', '1e400', '1.5', '+1', '0x10', '１', '9'.repeat(500), 'true', '[]', '{}',
  '[', '{"a":', '"', '\\', '\\u0000', '%', '%%', '\r\nX: y', 'x'.repeat(300), '['.repeat(2000), 'a'.repeat(5000),
]; // prettier-ignore
export const odd = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);

export const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 3 }), odd);
