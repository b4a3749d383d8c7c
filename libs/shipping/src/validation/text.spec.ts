import { describe, expect, it } from 'vitest';
import { folded } from './text.js';

describe('text folded for a search', () => {
  it.each([
    ['HAUPTSTRAẞE', 'hauptstrasse'],
    ['Hauptstraße', 'hauptstrasse'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['E\u0301LAN', '\u00E9lan'],
    ['ǅ', 'ǆ'],
    ['ﬀ', 'ff'],
  ])('%s is %s', (text, expected) => {
    expect(folded(text)).toBe(expected);
  });

  it('is the same for a character of any script in lower case, in upper case and folded already', () => {
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
