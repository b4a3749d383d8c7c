import { type DataSource, type EntityManager } from 'typeorm';
import { vi } from 'vitest';

/**
 * A transaction in which no other connection can be had: a call that leaves it fails at once. On the embedded
 * database, which has one connection, it would wait for that one.
 */
export function inTransaction<Result>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return dataSource.transaction(async (manager) => {
    const refusal = vi.spyOn(dataSource, 'createQueryRunner').mockImplementation(() => {
      throw new Error('A call with a manager has left the transaction of its caller.');
    });
    try {
      return await work(manager);
    } finally {
      refusal.mockRestore();
    }
  });
}
