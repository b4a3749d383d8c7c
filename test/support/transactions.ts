import { type DataSource, type EntityManager } from 'typeorm';
import { vi } from 'vitest';

/**
 * A transaction that allows no other connection, so that a call that leaves it fails at once. On the embedded
 * database, which has one connection, such a call would wait for ever.
 */
export function inTransaction<Result>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return dataSource.transaction(async (manager) => {
    const refusal = vi.spyOn(dataSource, 'createQueryRunner').mockImplementation(() => {
      throw new Error("A call with a manager has left its caller's transaction.");
    });
    try {
      return await work(manager);
    } finally {
      refusal.mockRestore();
    }
  });
}
