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
    const spy = vi.spyOn(dataSource, 'createQueryRunner').mockImplementation(() => {
      throw new Error("A call with a manager has left its caller's transaction.");
    });
    try {
      return await work(manager);
    } finally {
      spy.mockRestore();
    }
  });
}

const turnsOn = new WeakMap<object, Promise<unknown>>();

/** Makes the transactions of a host on SQLite come one after another: TypeORM has one connection there. */
export function oneAfterAnother(dataSource: DataSource): void {
  if (turnsOn.has(dataSource)) return;
  turnsOn.set(dataSource, Promise.resolve());
  const transaction = dataSource.transaction.bind(dataSource) as (
    ...parameters: unknown[]
  ) => Promise<unknown>;
  const inTurn = (...parameters: unknown[]): Promise<unknown> => {
    const turn = (turnsOn.get(dataSource) ?? Promise.resolve()).then(() => transaction(...parameters));
    turnsOn.set(
      dataSource,
      turn.catch(() => undefined),
    );
    return turn;
  };
  Object.assign(dataSource, { transaction: inTurn });
}
