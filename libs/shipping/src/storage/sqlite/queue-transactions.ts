import { AsyncLocalStorage } from 'node:async_hooks';
import { type DataSource, type EntityManager } from 'typeorm';

/**
 * A place in which transactions begin: the work of another transaction, its subscribers, or the DataSource. Those that
 * begin in one place run one after another.
 */
class Turn {
  isOpen = true;
  /** The last of those that have begun inside of it. */
  last: Promise<unknown> = Promise.resolve();

  constructor(private readonly outer?: Turn) {}

  /** This one, or the nearest around it that has not ended. */
  get open(): Turn | undefined {
    return this.isOpen ? this : this.outer?.open;
  }

  /** Waits for all that have begun here. What begins later belongs to the nearest open place around. */
  async end(): Promise<void> {
    for (let seen: Promise<unknown> | undefined; seen !== this.last;) await (seen = this.last);
    this.isOpen = false;
  }
}

type Work = (manager: EntityManager) => Promise<unknown>;

const queued = new WeakSet<DataSource>();

export function isQueued(dataSource: DataSource): boolean {
  return queued.has(dataSource);
}

/**
 * Makes the transactions of a DataSource on SQLite run one after another. TypeORM has one connection to SQLite, so two
 * that overlap would become one, and whichever ends first would end both. On another engine it does nothing.
 *
 * It queues `transaction()` of the DataSource, of its managers and of its repositories. A transaction that begins while
 * another one does its work is part of that one, which waits for it, even if the work does not. It does not queue writes
 * outside of transactions, nor `startTransaction()` of a query runner.
 * @returns the same DataSource
 */
export function queueTransactions(dataSource: DataSource): DataSource {
  if (dataSource.options.type !== 'better-sqlite3' || queued.has(dataSource)) return dataSource;
  queued.add(dataSource);
  const outermost = new Turn();
  const surrounding = new AsyncLocalStorage<Turn>();

  const queue = (manager: EntityManager): EntityManager => {
    const transaction = manager.transaction.bind(manager) as (...args: unknown[]) => Promise<unknown>;
    const inTurn = (...args: unknown[]): Promise<unknown> => {
      const outer = surrounding.getStore()?.open ?? outermost;
      const work = new Turn(outer);
      const subscribers = new Turn(outer);
      const inside = (each: Work): Work => {
        return (given) => surrounding.run(work, async () => each(given)).finally(() => work.end());
      };
      const whole = args.map((each) => (typeof each === 'function' ? inside(each as Work) : each));
      const result = outer.last
        .then(() => surrounding.run(subscribers, () => transaction(...whole)))
        // A subscriber of the host's may have begun one at the commit.
        .finally(() => subscribers.end());
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
