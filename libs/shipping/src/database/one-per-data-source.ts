import { type DataSource } from 'typeorm';

/** Makes one object for each DataSource. All mounts and applications of this process share it. */
export function onePerDataSource<Shared extends object>(
  make: () => Shared,
): (dataSource: DataSource) => Shared {
  const objects = new WeakMap<DataSource, Shared>();
  return (dataSource) => {
    let shared = objects.get(dataSource);
    if (!shared) objects.set(dataSource, (shared = make()));
    return shared;
  };
}
