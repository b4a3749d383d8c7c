import { byCodes, type ShippingMethodCodes } from '../../shipping-methods/method-codes.js';
import { int32 } from '../../validation/int32.js';

/** The values of a method that decide its place in a list. */
export interface Placed extends ShippingMethodCodes {
  readonly sort_order: number;
}

/** A method of the list. `level` is its `sort_order` minus `distance`, which `renumbered()` explains. */
interface Item<Method> {
  method: Method;
  distance: number;
  level: number;
}

/** The distance of new numbers above the first method and below the last one. It leaves room for later moves. */
const step = 10;

/** Compares two methods for the order of the checkout, as `findActive()` does. */
export function inCheckoutOrder(a: Placed, b: Placed): number {
  return a.sort_order - b.sort_order || byCodes(a, b);
}

/**
 * Returns the methods that need another `sort_order`, so that the list sorts as it is given. No other choice of methods
 * is smaller. If several choices are equally small, the moved method is preferred.
 *
 * Methods with the same number are sorted by their codes. So a method may have the number of the one above it only if
 * its codes come later. Otherwise its number must be higher by one. `distance` counts these steps from the top, and
 * `level` is the number without them. A list is in order exactly if no level is lower than the one above it. So the
 * methods that can keep their numbers are a longest run of levels that never fall.
 */
export function renumbered<Method extends Placed>(
  methods: readonly Method[],
  moved: Method,
): [Method, number][] {
  let distance = 0;
  const items = methods.map((method, index): Item<Method> => {
    const above = methods[index - 1];
    if (above && byCodes(above, method) > 0) distance++;
    return { method, distance, level: method.sort_order - distance };
  });
  // The method at the end must not have more than the greatest number.
  const highest = int32.max - distance;
  const fitting = items.filter(({ level }) => level >= int32.min && level <= highest);
  const withMoved = longestRun(fitting);
  const withoutMoved = longestRun(fitting.filter(({ method }) => method !== moved));
  const kept = withMoved.length > withoutMoved.length ? withMoved : withoutMoved;

  const isKept = new Set(kept);
  const changes: [Method, number][] = [];
  let gap: Item<Method>[] = [];
  let above: number | undefined;
  for (const item of [...items, undefined]) {
    if (item && !isKept.has(item)) {
      gap.push(item);
      continue;
    }
    const below = item?.level;
    const width = step * (gap.length + 1);
    const low = above ?? Math.max(int32.min, (below ?? width) - width);
    const high = below ?? Math.min(highest, low + width);
    for (const [index, { method, distance: added }] of gap.entries()) {
      const level = low + Math.floor(((high - low) * (index + 1)) / (gap.length + 1));
      changes.push([method, level + added]);
    }
    gap = [];
    above = below;
  }
  return changes.filter(([method, number]) => number !== method.sort_order);
}

/** Returns a longest choice of items, in their order, whose levels never fall. */
function longestRun<Method>(items: readonly Item<Method>[]): Item<Method>[] {
  // The item at index n ends the run of n + 1 items whose last level is the lowest.
  const ends: Item<Method>[] = [];
  const above = new Map<Item<Method>, Item<Method> | undefined>();
  for (const item of items) {
    let [index, end] = [0, ends.length];
    while (index < end) {
      const middle = Math.floor((index + end) / 2);
      if ((ends[middle] ?? item).level <= item.level) index = middle + 1;
      else end = middle;
    }
    above.set(item, ends[index - 1]);
    ends[index] = item;
  }
  const run: Item<Method>[] = [];
  for (let item = ends.at(-1); item; item = above.get(item)) run.push(item);
  return run.toReversed();
}
