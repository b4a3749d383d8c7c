import { type DataSource } from 'typeorm';

/** Makes one object for each DataSource. All mounts and applications of this process share it. */
export function onePerDataSource<Shared extends object>(
  make: (dataSource: DataSource) => Shared,
): (dataSource: DataSource) => Shared {
  const made = new WeakMap<DataSource, Shared>();
  return (dataSource) => {
    const shared = made.get(dataSource) ?? make(dataSource);
    made.set(dataSource, shared);
    return shared;
  };
}
