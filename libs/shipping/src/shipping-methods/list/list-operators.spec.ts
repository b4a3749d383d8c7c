import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filterFields } from '../method-fields.js';
import { kindOf, operatorsFor } from './list-operators.js';

const api = readFileSync(new URL('../../../../../docs/reference.md', import.meta.url), 'utf8');

/** Reads the table of the document. Its cells have nothing but code. */
function documented(): Map<string, string[]> {
  const [, table = ''] = /\n\| fields +\| operators +\|\n\|[-| ]+\|\n((?:\|.*\n)+)/.exec(api) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((row) => Array.from(row.matchAll(/`([^`]+)`/g), ([, code = '']) => code));
  return new Map(
    rows.flatMap((codes) => codes.slice(0, -1).map((field) => [field, codes.at(-1)?.split(' ') ?? []])),
  );
}

it('docs/reference.md names every field of a filter with all of its operators', () => {
  const known = filterFields.map((field): [string, string[]] => [field, operatorsFor(kindOf(field))]);

  const sorted = (fields: Iterable<[string, string[]]>) =>
    Object.fromEntries(Array.from(fields, ([field, operators]) => [field, operators.toSorted()]));

  expect(sorted(documented())).toEqual(sorted(known));
});
