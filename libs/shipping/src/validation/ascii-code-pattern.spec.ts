import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { methodFields } from '../shipping-methods/method-fields.js';
import { asciiCodePattern, isCode } from './text.js';

const documented = [asciiCodePattern, new RegExp(asciiCodePattern.source, 'u')];
const isDocumented = (text: string): boolean[] => documented.map((form) => form.test(text));

const anyCharacter = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'aZ09_ ()+-./:@') },
  { weight: 2, arbitrary: fc.constantFrom(...'éß한字더프𝒰٣\u0301\u093F') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const anyText = fc.string({ unit: anyCharacter, maxLength: methodFields.method_code.maxLength });

describe('the documented form of a code', () => {
  it('matches every code that the library accepts', () => {
    let accepted = 0;
    const hasTheForm = (text: string): void => {
      if (!isCode(text)) return;
      accepted++;
      expect(isDocumented(text)).toEqual([true, true]);
    };

    fc.assert(fc.property(anyText, hasTheForm), { numRuns: 5000 });

    expect(accepted).toBeGreaterThan(500);
  });

  it('is the same as the rule for codes, for every ASCII text', () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    const texts = ascii.flatMap((character) => [
      character,
      `a${character}`,
      `${character}a`,
      `a${character}a`,
      `a ${character}`,
    ]);

    for (const text of ['', ...texts])
      expect([text, ...isDocumented(text)]).toEqual([text, isCode(text), isCode(text)]);
  });
});
