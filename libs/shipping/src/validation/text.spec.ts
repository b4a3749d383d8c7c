import { describe, expect, it } from 'vitest';
import { folded } from './text.js';

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

  it('gives the same for every character in lower case, in upper case and already folded', () => {
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
});
