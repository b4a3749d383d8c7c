import { AsyncLocalStorage } from 'node:async_hooks';
import { type DataSource, type EntityManager } from 'typeorm';

const queued = new WeakSet<DataSource>();

export function isQueued(dataSource: DataSource): boolean {
  return queued.has(dataSource);
}

/**
 * Makes the transactions of a DataSource on SQLite run one after another. TypeORM has one connection to SQLite, so two
 * that overlap would become one, and whichever ends first would end both. On another engine it does nothing.
 *
 * It queues `transaction()` of the DataSource and of its managers. A transaction that begins inside of another one is
 * part of it, as usual. It does not queue writes outside of transactions, nor `startTransaction()` of a query runner.
 * @returns the same DataSource
 */
export function queueTransactions(dataSource: DataSource): DataSource {
  if (dataSource.options.type !== 'better-sqlite3' || queued.has(dataSource)) return dataSource;
  queued.add(dataSource);
  const { manager } = dataSource;
  const transaction = manager.transaction.bind(manager) as (...work: unknown[]) => Promise<unknown>;
  const surrounding = new AsyncLocalStorage<{ isOpen: boolean }>();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (...work: unknown[]): Promise<unknown> => {
    if (surrounding.getStore()?.isOpen) return transaction(...work);
    const own = { isOpen: true };
    const result = last
      .then(() => surrounding.run(own, () => transaction(...work)))
      .finally(() => (own.isOpen = false));
    last = result.catch(() => undefined);
    return result;
  };
  manager.transaction = inTurn as EntityManager['transaction'];
  return dataSource;
}
