import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byCodePoint, folded, isCode, isLabel, refusedCharacter } from './text.js';

/** The definition of folding: each character is folded alone, and then the accents are removed. */
function foldedByCharacter(text: string): string {
  const eachOf = (whole: string, change: (character: string) => string): string =>
    Array.from(whole, change).join('');
  const lower = eachOf(text.normalize('NFC'), (character) => character.toLowerCase());
  const upper = eachOf(lower, (character) => character.toUpperCase());
  const small = eachOf(upper, (character) => character.toLowerCase());
  const isAccent = (character: string): boolean => character >= '\u0300' && character <= '\u036F';
  return eachOf(small.normalize('NFD'), (character) =>
    isAccent(character) ? '' : ('ldoσ'['łđøς'.indexOf(character)] ?? character),
  ).normalize('NFC');
}

/** Han and Hangul are left out, but for two: they have thousands of characters, and no case. */
const assigned = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) =>
    character.isWellFormed() && /[^\p{Cn}\p{Co}\p{Script=Han}\p{Script=Hangul}]|[\uF900한]/u.test(character),
);

describe('a code', () => {
  it.each([
    'bpack 24/7',
    'sendcloud:letter/standard,x=1',
    'U2hpcHBpbmc6MQ==',
    'Standard%20Shipping-8.00',
    'GS더프레시',
    '-',
    "'",
    '<b>&"`\\|^~',
    '🚚',
    'क्षेत्र',
    '𝒰',
    'ﬀ',
    'ups \u0307',
  ])('may be %s', (text) => {
    expect(isCode(text)).toBe(true);
  });

  it.each([
    ['\uFEFFups', 'U+FEFF at position 1'],
    ['DHL\u00A0Paket', 'U+00A0 at position 4'],
    ['ups\u200B', 'U+200B at position 4'],
    [' ups', 'U+0020 at position 1'],
    ['ups ', 'U+0020 at position 4'],
    ['a  b', 'U+0020 at position 3'],
    [' ', 'U+0020 at position 1'],
    ['a\tb', 'U+0009 at position 2'],
    ['a\u2028b', 'U+2028 at position 2'],
    ['a\0b', 'U+0000 at position 2'],
    ['\u0301a', 'U+0301 at position 1'],
    ['✈\uFE0F', 'U+FE0F at position 2'],
    ['a\u034Fb', 'U+034F at position 2'],
    ['a\u180Bb', 'U+180B at position 2'],
    ['a\u{E0100}', 'U+E0100 at position 2'],
    ['𝒰\u3164', 'U+3164 at position 2'],
    ['a\uFFA0', 'U+FFA0 at position 2'],
    ['\u115F', 'U+115F at position 1'],
    ['\u1160', 'U+1160 at position 1'],
    ['a\u2800', 'U+2800 at position 2'],
    ['a\uE000', 'U+E000 at position 2'],
    ['a\u0378', 'U+0378 at position 2'],
    ['a\uD800', 'U+D800 at position 2'],
    ['e\u0301cole', 'U+0301 at position 2'],
    ['e\u0301\u00A0', 'U+0301 at position 2'],
    ['a\u00A0e\u0301', 'U+00A0 at position 2'],
    ['10 \u212B', 'U+212B at position 4'],
    ['\u1100\u1161', 'U+1161 at position 2'],
  ])('is not %j, because of %s', (text, character) => {
    expect(isCode(text)).toBe(false);
    expect(refusedCharacter(text)).toBe(character);
  });
});

describe('a label', () => {
  it.each(['🏳️‍🌈 Express', '👩‍👩‍👧', 'می‌خواهم', '\u200Ba', '5️⃣', 'a\u2066b\u2069', '\u2067\u2068a\u2069\u2069'])(
    'may be %j',
    (text) => {
      expect(isLabel(text)).toBe(true);
    },
  );

  it.each([
    '\u200B',
    '\u3164',
    '\u2800',
    '\u00AD',
    '\u200D\uFE0F',
    '\u2800 \u2800',
    'a\u2066b',
    'a\u2069\u2067b',
    'a\u2068\u2068b\u2069',
    'a\u202Eb',
    'a\u0085',
    'a\uD83D',
  ])('is not %j', (text) => {
    expect(isLabel(text)).toBe(false);
  });
});

describe('folding a text for a search', () => {
  it.each([
    ['HAUPTSTRAẞE', 'hauptstrasse'],
    ['Hauptstraße', 'hauptstrasse'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['E\u0301LAN', 'elan'],
    ['Hígado', 'higado'],
    ['İstanbul', 'istanbul'],
    ['ISTANBUL', 'istanbul'],
    ['ıstanbul', 'istanbul'],
    ['Łódź', 'lodz'],
    ['ĐẶNG đ', 'dang d'],
    ['Smørrebrød Ǿ', 'smorrebrod o'],
    ['Việt Nam', 'viet nam'],
    ['ΐ', 'ι'],
    // The capital of this letter is `ΑΙ`.
    ['ᾳ', 'αι'],
    // These marks are not accents: another mark makes another letter.
    ['が한й', 'が한и'],
    ['ǅ', 'ǆ'],
    ['ﬀ', 'ff'],
  ])('turns %s into %s', (text, expected) => {
    expect(folded(text)).toBe(expected);
  });

  it('gives lower case, upper case and folded characters the same form', () => {
    const differing: string[] = [];
    let cased = 0;
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
      if (lower === character && upper === character) continue;
      cased++;
      const once = folded(character);
      if ([lower, upper, once].some((form) => folded(form) !== once)) differing.push(character);
    }

    expect(differing).toEqual([]);
    expect(cased).toBeGreaterThan(2500);
  });

  it('is the same as folding each of its characters alone', () => {
    const differs = (text: string): boolean => folded(text) !== foldedByCharacter(text);
    expect(assigned.filter(differs)).toEqual([]);
    // JavaScript gives `Σ` another small letter at the end of a word.
    const besideSigma = assigned.map((character) => `${character}Σ aΣ${character} aΣ${character}a `);
    expect(besideSigma.filter(differs)).toEqual([]);

    const tricky = fc.constantFrom(...'aAΣσς.\u0301\u0307\u0345iIİıßẞŉΐﬃǅ한 \u00AD');
    const text = fc.string({ unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), tricky) });
    fc.assert(
      fc.property(text, (any) => !differs(any)),
      { seed: 7, numRuns: 10_000 },
    );
  });
});

describe('comparing two texts', () => {
  it.each([
    ['', 'a', -1],
    ['a', 'a', 0],
    ['ab', 'a', 1],
    ['Z', 'a', -1],
    ['\uFFFD', '\u{10000}', -1],
    ['\uE000', '\uD7FF', 1],
    ['\u{1F4E6}\uFF21', '\u{1F4E6}\u{1F4E6}', -1],
    ['\u{10FFFF}', '\u{10000}', 1],
  ])('orders %j and %j by code point: %i', (a, b, order) => {
    expect(Math.sign(byCodePoint(a, b))).toBe(order);
    expect(Math.sign(byCodePoint(b, a)) + order).toBe(0);
  });

  it('gives the order of the bytes in UTF-8', () => {
    const edges = fc.constantFrom('a', '\u{D7FF}', '\uE000', '\uFFFF', '\u{10000}', '\u{10FFFF}');
    const text = fc.string({ unit: fc.oneof(edges, fc.string({ unit: 'binary', maxLength: 1 })) });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(byCodePoint(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { seed: 14, numRuns: 10_000 },
    );
  });
});
