import { type DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';

type Action = () => void;

interface TransactionEnd {
  queryRunner: QueryRunner;
}

/**
 * Runs actions once what they tell of is committed: at once outside of a transaction, else after the
 * outermost COMMIT. A rollback, also one to a savepoint, drops the actions of its part.
 */
export class AfterCommit implements EntitySubscriberInterface {
  /** One frame a transaction or savepoint that is open on the connection, outermost first. */
  private readonly frames = new WeakMap<QueryRunner, Action[][]>();
  private readonly rolledBack = new WeakSet<Action[]>();

  /** @param settled resolves when none of our calls is under way on the connection */
  constructor(
    dataSource: DataSource,
    private readonly settled: (runner: QueryRunner) => Promise<void>,
  ) {
    dataSource.subscribers.push(this);
    // Each `initialize()` sets up the subscribers anew: a host may call it after us, or again after a `destroy()`.
    const initialize = dataSource.initialize.bind(dataSource);
    dataSource.initialize = async () => {
      await initialize();
      if (!dataSource.subscribers.includes(this)) dataSource.subscribers.push(this);
      return dataSource;
    };
  }

  run(runner: QueryRunner | undefined, action: Action): void {
    const frame = runner && this.frames.get(runner)?.at(-1);
    if (frame) frame.push(action);
    else action();
  }

  /** @returns whether what is the innermost transaction or savepoint now has begun to be rolled back by then */
  isRolledBack(runner: QueryRunner): () => boolean {
    const frame = this.frames.get(runner)?.at(-1);
    return () => frame !== undefined && this.rolledBack.has(frame);
  }

  // The end is sent when our calls are done: behind a ROLLBACK one would commit by itself, behind a COMMIT too.
  beforeTransactionCommit({ queryRunner }: TransactionEnd): Promise<void> {
    return this.settled(queryRunner);
  }

  beforeTransactionRollback({ queryRunner }: TransactionEnd): Promise<void> {
    const frame = this.frames.get(queryRunner)?.at(-1);
    if (frame) this.rolledBack.add(frame);
    return this.settled(queryRunner);
  }

  afterTransactionStart({ queryRunner }: TransactionEnd): void {
    const open = this.frames.get(queryRunner);
    if (open) open.push([]);
    else this.frames.set(queryRunner, [[]]);
  }

  afterTransactionCommit({ queryRunner }: TransactionEnd): void {
    const open = this.frames.get(queryRunner);
    const actions = open?.pop() ?? [];
    const outer = open?.at(-1);
    if (outer) outer.push(...actions);
    else for (const action of actions) action();
  }

  afterTransactionRollback({ queryRunner }: TransactionEnd): void {
    this.frames.get(queryRunner)?.pop();
  }
}
