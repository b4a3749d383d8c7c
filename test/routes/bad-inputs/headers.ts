import { type BadInput, violating, methods, type ExpectedError } from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';

const mismatch: ExpectedError = { status: 412, code: 'version_mismatch' };
const malformed = violating('If-Match: format');

/** `If-Match` for a method at version 1. */
const ifMatches: [header: string | string[], response: 'accepted' | ExpectedError, given?: string][] = [
  ['"1"', 'accepted'],
  ['*', 'accepted'],
  ['"7" , "1"', 'accepted'],
  [', "1",', 'accepted'],
  ['"1", "9999999999"', 'accepted'],
  [`"${'9'.repeat(500)}", "1"`, 'accepted', '500 digits and "1"'],
  ['"1", "\\", "{,}", "\u00E9"', 'accepted'],
  [['"7"', '"1"'], 'accepted', 'two lines'],
  [Array(3_000).fill('"1"').join(), 'accepted', '3,000 tags'],
  ['W/"1"', mismatch],
  ['"2"', mismatch],
  ['"1-x"', mismatch],
  ['"01"', mismatch],
  ['"1 "', malformed],
  ['""', mismatch],
  [`"${'9'.repeat(500)}"`, mismatch, '500 digits'],
  ['', malformed, 'nothing'],
  [',', malformed],
  ['1', malformed],
  ['"1', malformed],
  ['1"', malformed],
  ['"1", 2', malformed],
  ['*, "1"', malformed],
  ['"a b"', malformed],
  ['w/"1"', malformed],
  [`"1",${' '.repeat(15_000)}x`, malformed, '15,000 blanks'],
];

/** A read is never refused because of its `If-None-Match`. */
const ifNoneMatches = ['', 'x', '"', '1', 'W/', '*, "', ', ,', '"a b"'];

export const conditionalHeaders: BadInput[] = [
  ...ifMatches.flatMap(([header, response, given = String(header)]): BadInput[] => {
    const headers = { 'If-Match': header };
    const sent = { given: `If-Match: ${given}`, path: `${methods}/{id}`, headers };
    return [
      { ...sent, method: 'PATCH', body: ground, response: response === 'accepted' ? 200 : response },
      { ...sent, method: 'DELETE', response: response === 'accepted' ? 204 : response },
    ];
  }),
  ...ifNoneMatches.flatMap((header): BadInput[] => {
    const sent = {
      given: `If-None-Match: ${header}`,
      method: 'GET',
      headers: { 'if-none-match': header },
      response: 200,
    } as const;
    return [
      { ...sent, path: methods },
      { ...sent, path: `${methods}/tree` },
    ];
  }),
];
