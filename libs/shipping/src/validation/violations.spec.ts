import { describe, expect, it } from 'vitest';
import { checkListQuery } from '../shipping-methods/list/list-query.check.js';
import { readListQuery } from '../shipping-methods/list/list-query.decode.js';
import { checkUpsert, checkUpserts } from '../shipping-methods/dto/upsert-shipping-method.check.js';
import { checkJsonObject } from './json-object.js';
import { pointerTo, shortened, type Violation, Violations } from './violations.js';

function problemWith(count: number): { detail?: string; errors?: unknown[]; truncated?: boolean } {
  const violations = new Violations();
  try {
    for (let index = 0; index < count; index++)
      violations.at({ pointer: `/${index}` })('type', `Violation ${index}.`);
    violations.throwIfAny();
  } catch (error) {
    return (error as { problem: object }).problem;
  }
  return {};
}

describe('violations', () => {
  it.each([
    [0, undefined, undefined],
    [1, 'Violation 0.', 1],
    [2, 'Violation 0. (and 1 more)', 2],
    [3, 'Violation 0. (and 2 more)', 3],
  ])('are summed up in one sentence and listed in full: %i of them', (count, detail, listed) => {
    const problem = problemWith(count);
    expect(problem.detail).toBe(detail);
    expect(problem.errors?.length).toBe(listed);
  });

  it.each([
    [50, 50, undefined],
    [51, 50, true],
    [100, 50, true],
  ])('are listed only up to 50: of %i, %i are listed, with truncated %j', (count, listed, truncated) => {
    const problem = problemWith(count);
    expect(problem.errors).toHaveLength(listed);
    expect(problem.truncated).toBe(truncated);
  });
});

describe('a check stops after 51 violations', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `x${index}`);
  const of = (value: unknown): object => Object.fromEntries(names.map((name) => [name, value]));

  it.each<[what: string, check: (violations: Violations) => unknown]>([
    ['unknown fields', (violations) => checkUpsert(violations, of(1))],
    ['a list of requests', (violations) => checkUpserts(violations, names)],
    ['values of meta', (violations) => checkJsonObject(violations, '/meta', of('\0'))],
    [
      'keys of meta',
      (violations) =>
        checkJsonObject(violations, '/meta', Object.fromEntries(names.map((name) => [`${name}\0`, 1]))),
    ],
    ['unknown parameters', (violations) => checkListQuery(violations, of(1), 100)],
    ['conditions', (violations) => checkListQuery(violations, { raw_filters: names }, 100)],
    [
      'members of one condition',
      (violations) => checkListQuery(violations, { raw_filters: [{ or: names }] }, 100),
    ],
    ['keys of one condition', (violations) => checkListQuery(violations, { raw_filters: [of(1)] }, 100)],
    ['values', (violations) => checkListQuery(violations, { filter: { id: names.slice(0, 100) } }, 100)],
    [
      'parameters of a URL',
      (violations) => readListQuery(violations, names.map((name) => `filter[${name}`).join('&'), 100),
    ],
  ])('%s', (_what, check) => {
    const found: Violation[] = [];

    expect(() => check(new Violations(found))).toThrow('(and 49 more)');

    expect(found).toHaveLength(51);
  });
});

describe("a client's text in a violation", () => {
  it.each([
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), `${'x'.repeat(128)}…`],
    ['\uD800', '\uFFFD'],
  ])('is shortened and well-formed', (word, shown) => {
    expect(shortened(word)).toBe(shown);
    expect(pointerTo('/meta', word)).toBe(`/meta/${shown}`);
  });

  it('is escaped in a pointer', () => {
    expect(pointerTo('', 'a/b~c')).toBe('/a~1b~0c');
    expect(pointerTo('/list', 3)).toBe('/list/3');
  });
});
