import { describe, expect, it } from 'vitest';
import { Violations, pointerTo, shortened } from './violations.js';

function problemWith(count: number): { detail?: string; errors?: unknown[]; truncated?: boolean } {
  const violations = new Violations();
  for (let index = 0; index < count; index++)
    violations.at({ pointer: `/${index}` })('type', `Violation ${index}.`);
  try {
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
    [2, 'Violation 0. (and 1 more: see errors)', 2],
    [3, 'Violation 0. (and 2 more: see errors)', 3],
  ])('are summed up in one sentence and listed in full: %i of them', (count, detail, listed) => {
    const problem = problemWith(count);
    expect(problem.detail).toBe(detail);
    expect(problem.errors?.length).toBe(listed);
  });

  it.each([
    [50, 50, undefined],
    [51, 50, true],
    [100_000, 50, true],
  ])('are listed only up to 50: of %i, %i are listed, with truncated %j', (count, listed, truncated) => {
    const problem = problemWith(count);
    expect(problem.errors).toHaveLength(listed);
    expect(problem.truncated).toBe(truncated);
  });

  it.each([
    [50, false],
    [51, true],
  ])('fill the list or not: %i of them, %j', (count, isFull) => {
    const violations = new Violations();
    for (let added = 0; added < count; added++) violations.at({ pointer: '/x' })('type', 'No string.');
    expect(violations.full).toBe(isFull);
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
