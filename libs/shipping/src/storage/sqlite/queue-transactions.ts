import { AsyncLocalStorage } from 'node:async_hooks';
import { type DataSource, type EntityManager } from 'typeorm';

/** A transaction, or the DataSource outside of any. The transactions that begin inside of it take turns. */
interface Turn {
  isOpen: boolean;
  /** The last of those that have begun inside of it. */
  last: Promise<unknown>;
}

type Work = (manager: EntityManager) => unknown;

const queued = new WeakSet<DataSource>();

export function isQueued(dataSource: DataSource): boolean {
  return queued.has(dataSource);
}

/**
 * Makes the transactions of a DataSource on SQLite run one after another. TypeORM has one connection to SQLite, so two
 * that overlap would become one, and whichever ends first would end both. On another engine it does nothing.
 *
 * It queues `transaction()` of the DataSource, of its managers and of its repositories. A transaction that begins inside
 * of another one is part of it, also if nobody awaits it: the outer one ends after it. It does not queue writes outside
 * of transactions, nor `startTransaction()` of a query runner.
 * @returns the same DataSource
 */
export function queueTransactions(dataSource: DataSource): DataSource {
  if (dataSource.options.type !== 'better-sqlite3' || queued.has(dataSource)) return dataSource;
  queued.add(dataSource);
  const outermost: Turn = { isOpen: true, last: Promise.resolve() };
  const surrounding = new AsyncLocalStorage<Turn>();

  const queue = (manager: EntityManager): EntityManager => {
    const transaction = manager.transaction.bind(manager) as (...args: unknown[]) => Promise<unknown>;
    const inTurn = (...args: unknown[]): Promise<unknown> => {
      const around = surrounding.getStore();
      const outer = around?.isOpen ? around : outermost;
      const own: Turn = { isOpen: true, last: Promise.resolve() };
      const whole = args.map((each) => (typeof each === 'function' ? andInner(each as Work, own) : each));
      const result = outer.last
        .then(() => surrounding.run(own, () => transaction(...whole)))
        .finally(async () => {
          // A subscriber of the host's may have begun one at the commit.
          await innerOf(own);
          own.isOpen = false;
        });
      outer.last = result.catch(() => undefined);
      return result;
    };
    manager.transaction = inTurn as EntityManager['transaction'];
    return manager;
  };

  queue(dataSource.manager);
  // The managers of custom repositories, and that of the query runner.
  const create = dataSource.createEntityManager.bind(dataSource);
  dataSource.createEntityManager = (runner) => queue(create(runner));
  return dataSource;
}

/** Does the work, and waits for the transactions that have begun inside of it. */
function andInner(work: Work, own: Turn): Work {
  return async (manager) => {
    try {
      return await work(manager);
    } finally {
      await innerOf(own);
    }
  };
}

async function innerOf(own: Turn): Promise<void> {
  for (let seen: Promise<unknown> | undefined; seen !== own.last;) await (seen = own.last);
}
