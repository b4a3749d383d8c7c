import { type DataSource } from 'typeorm';

/** Makes one object for each DataSource. All mounts and applications of this process share it. */
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
