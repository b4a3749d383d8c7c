import { type DataSource } from 'typeorm';

/**
 * What belongs to a DataSource and not to a mount: made once for each, and the same for all mounts and
 * applications of this process that use it.
 */
export function onePerDataSource<Shared>(
  make: (dataSource: DataSource) => Shared,
): (dataSource: DataSource) => Shared {
  const made = new WeakMap<DataSource, { shared: Shared }>();
  return (dataSource) => {
    const known = made.get(dataSource) ?? { shared: make(dataSource) };
    made.set(dataSource, known);
    return known.shared;
  };
}
