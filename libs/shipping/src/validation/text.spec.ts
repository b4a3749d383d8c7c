import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byCodePoint, folded } from './text.js';

/** The definition of folding: each character is folded alone. */
function foldedByCharacter(text: string): string {
  const eachOf = (whole: string, change: (character: string) => string): string =>
    Array.from(whole, change).join('');
  const lower = eachOf(text.normalize('NFC'), (character) => character.toLowerCase());
  const upper = eachOf(lower, (character) => character.toUpperCase());
  return eachOf(upper, (character) => character.toLowerCase()).normalize('NFC');
}

const allCharacters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) => character.isWellFormed(),
);

/** Han and Hangul are left out: they have thousands of characters, and no case. */
const assigned = allCharacters.filter((character) =>
  /[^\p{Cn}\p{Co}\p{Script=Han}\p{Script=Hangul}]/u.test(character),
);

describe('folding a text for a search', () => {
  it.each([
    ['HAUPTSTRAẞE', 'hauptstrasse'],
    ['Hauptstraße', 'hauptstrasse'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['E\u0301LAN', '\u00E9lan'],
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
    expect(allCharacters.filter(differs)).toEqual([]);
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
