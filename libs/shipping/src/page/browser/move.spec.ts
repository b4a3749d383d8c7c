import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inCheckoutOrder, type Placed, renumbered } from './move.js';

const least = -(2 ** 31);
const greatest = 2 ** 31 - 1;

interface Method extends Placed {
  name: string;
}

/** Methods whose codes are in the order of their names, in the order of the checkout. */
function methodsOf(numbers: Record<string, number>): Method[] {
  return Object.entries(numbers)
    .map(([name, sort_order]) => ({ name, sort_order, carrier_code: name, method_code: '1' }))
    .toSorted(inCheckoutOrder);
}

function movedTo(methods: readonly Method[], from: number, to: number): [Method[], Method] {
  const moved = methods[from] as Method;
  return [methods.toSpliced(from, 1).toSpliced(to, 0, moved), moved];
}

const namesOf = (methods: readonly Method[]): string[] => methods.map(({ name }) => name);

function sortedAfter(methods: readonly Method[], changes: readonly [Method, number][]): string[] {
  const numbers = new Map(changes);
  const after = methods.map((method) => ({
    ...method,
    sort_order: numbers.get(method) ?? method.sort_order,
  }));
  return namesOf(after.toSorted(inCheckoutOrder));
}

/** Tries each choice of methods that keep their numbers. The other methods get the lowest numbers that are possible. */
function fewestChanges(wanted: readonly Method[]): number {
  let fewest = wanted.length;
  for (let choice = 0; choice < 2 ** wanted.length; choice++) {
    let above: Method | undefined;
    let changed = 0;
    const isPossible = wanted.every((method, index) => {
      const isKept = (choice & (2 ** index)) !== 0;
      if (!isKept) changed++;
      const bound = { ...method, sort_order: above?.sort_order ?? least };
      const lowest = above && inCheckoutOrder(above, bound) > 0 ? bound.sort_order + 1 : bound.sort_order;
      const number = isKept ? method.sort_order : lowest;
      above = { ...method, sort_order: number };
      return number >= lowest && number <= greatest;
    });
    if (isPossible) fewest = Math.min(fewest, changed);
  }
  return fewest;
}

describe('a move in the list', () => {
  it.each([
    ['to the top', { a: 10, b: 20, c: 30 }, 2, 0, ['c']],
    ['to the end', { a: 10, b: 20, c: 30 }, 0, 2, ['a']],
    ['between two numbers', { a: 10, b: 20, c: 30 }, 2, 1, ['c']],
    ['past methods without a number', { a: 0, b: 0, c: 0, d: 0 }, 3, 0, ['d']],
    ['to the end of methods without a number', { a: 0, b: 0, c: 0 }, 0, 2, ['a']],
    ['into the middle of methods without a number', { a: 0, b: 0, c: 0, d: 0 }, 3, 1, ['a', 'd']],
    ['where no number is free', { d: 1, a: 2, c: 9 }, 2, 1, ['a']],
    ['above the least number', { a: least, b: 5 }, 1, 0, ['a']],
    ['below the greatest number', { a: greatest, b: greatest }, 0, 1, ['b']],
    ['to where it is', { a: 5, b: 5 }, 1, 1, []],
  ])('changes as few numbers as possible: %s', (_where, numbers, from, to, expected) => {
    const [wanted, moved] = movedTo(methodsOf(numbers), from, to);

    const changes = renumbered(wanted, moved);

    expect(sortedAfter(wanted, changes)).toEqual(namesOf(wanted));
    expect(changes.length).toBe(fewestChanges(wanted));
    expect(changes.map(([{ name }]) => name)).toEqual(expected);
  });

  const number = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: least, max: least + 3 }),
    fc.integer({ min: greatest - 3, max: greatest }),
    fc.integer({ min: least, max: greatest }),
  );

  it('puts every list in the order that was asked for, with as few changes as possible', () => {
    const lists = fc.array(number, { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(lists, fc.nat(), fc.nat(), (numbers, from, to) => {
        const count = numbers.length;
        const methods = methodsOf(Object.fromEntries(numbers.map((each, index) => [`m${index}`, each])));
        const [wanted, moved] = movedTo(methods, from % count, to % count);

        const changes = renumbered(wanted, moved);

        expect(sortedAfter(wanted, changes)).toEqual(namesOf(wanted));
        expect(changes.length).toBe(fewestChanges(wanted));
        for (const [, each] of changes) {
          expect(each).toBeGreaterThanOrEqual(least);
          expect(each).toBeLessThanOrEqual(greatest);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes less than 100 ms in a list of 10,000 methods without numbers', () => {
    const methods = methodsOf(
      Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`m${index}`, 0])),
    );
    const [wanted, moved] = movedTo(methods, 9_999, 5_000);
    const { user: before } = process.cpuUsage();

    const changes = renumbered(wanted, moved);

    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(100);
    expect(sortedAfter(wanted, changes)).toEqual(namesOf(wanted));
  });
});
