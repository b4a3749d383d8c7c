import { describe, expect, it } from 'vitest';
import { Faults } from './faults.js';

function problemWith(count: number): { detail?: string; errors?: unknown[] } {
  const faults = new Faults();
  for (let index = 0; index < count; index++) faults.add({ pointer: `/${index}` }, 'type', `Fault ${index}.`);
  try {
    faults.throwIfAny();
  } catch (error) {
    return (error as { problem: object }).problem;
  }
  return {};
}

describe('faults', () => {
  it.each([
    [0, undefined, undefined],
    [1, 'Fault 0.', 1],
    [2, 'Fault 0. (and 1 more: see errors)', 2],
    [3, 'Fault 0. (and 2 more: see errors)', 3],
  ])('of a request, %i of them, are told in one sentence and all in the list', (count, detail, listed) => {
    const problem = problemWith(count);
    expect(problem.detail).toBe(detail);
    expect(problem.errors?.length).toBe(listed);
  });

  it('without end are neither gathered nor told without end', () => {
    const few = problemWith(1_000).errors?.length;
    expect(few).toBeLessThan(1_000);
    expect(problemWith(100_000).errors?.length).toBe(few);
  });
});
