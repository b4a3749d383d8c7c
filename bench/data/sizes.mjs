import { methodsPerProject } from './catalogue.mjs';

// More shops than fit into the cache of the sample (32 MiB), so that none is cached when all are read in turn.
export const sizes = {
  quick: { shops: 2_000, ordersPerShop: 2, large: [10_000] },
  // For the engines whose rows are inserted one by one. It does not fit into the cache either.
  middle: { shops: 2_000, ordersPerShop: 5, large: [] },
  full: { shops: 9_000, ordersPerShop: 5, large: [10_000, 100_000] },
  small: { shops: 100, ordersPerShop: 5, large: [] },
  grown: { shops: 9_000, ordersPerShop: 10, large: [100_000] },
  memory: { shops: 200, ordersPerShop: 1, large: [10_000], longHistory: 100_000 },
};

export function methodsIn({ shops, large }) {
  return large.reduce((sum, methods) => sum + methods, shops * methodsPerProject);
}
