import { type DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';

type Action = () => void;

interface TransactionEvent {
  queryRunner: QueryRunner;
}

interface QueryEvent extends TransactionEvent {
  query: string;
  /** What `pg` gave. */
  rawResults?: { command?: string };
}

/** A transaction or savepoint that TypeORM began on a connection. */
export class Transaction {
  /** They tell of what its statements changed. */
  readonly actions: Action[] = [];
  /** TypeORM sends its end, or has sent it. */
  hasEnded = false;
  /** A call of ours is part of it. */
  isJoined = false;
}

/** What TypeORM ends a transaction or savepoint with. A savepoint of the host's own has another name. */
const end = /^(COMMIT|ROLLBACK|(RELEASE|ROLLBACK TO) SAVEPOINT typeorm_\d+)$/;

/** The transactions that TypeORM has open on the connections of a DataSource. */
export class Transactions implements EntitySubscriberInterface {
  /** Outermost first. */
  private readonly open = new WeakMap<QueryRunner, Transaction[]>();

  constructor(private readonly dataSource: DataSource) {
    this.subscribe();
  }

  /** @returns the innermost transaction or savepoint, for a call that begins; undefined when there is none */
  join(runner: QueryRunner): Transaction | undefined {
    this.subscribe();
    if (!runner.isTransactionActive) return undefined;
    const open = this.openOn(runner);
    const joined = open.findLast(({ hasEnded }) => !hasEnded) ?? open[0];
    if (joined) joined.isJoined = true;
    return joined;
  }

  /** Runs `action` once what it tells of is committed: now, or after the outermost COMMIT. A rollback drops it. */
  afterCommit(runner: QueryRunner | undefined, action: Action): void {
    if (runner?.isTransactionActive) this.openOn(runner).at(-1)?.actions.push(action);
    else action();
  }

  afterTransactionStart({ queryRunner }: TransactionEvent): void {
    const open = this.open.get(queryRunner);
    if (open) open.push(new Transaction());
    else this.openOn(queryRunner);
  }

  /** The last moment before the end is sent. Earlier, a subscriber of the host's may still call us. */
  beforeQuery({ queryRunner, query }: QueryEvent): void {
    const innermost = this.open.get(queryRunner)?.at(-1);
    if (innermost && end.test(query)) innermost.hasEnded = true;
  }

  /** @throws Error where PostgreSQL answers COMMIT with a rollback, which TypeORM takes for a commit */
  afterQuery({ queryRunner, query, rawResults }: QueryEvent): void {
    if (query !== 'COMMIT' || rawResults?.command !== 'ROLLBACK') return;
    if (this.open.get(queryRunner)?.some(({ isJoined }) => isJoined)) {
      throw new Error('The transaction was rolled back: a statement in it had failed.');
    }
  }

  afterTransactionCommit({ queryRunner }: TransactionEvent): void {
    const actions = this.close(queryRunner);
    if (queryRunner.isTransactionActive) this.openOn(queryRunner).at(-1)?.actions.push(...actions);
    else for (const action of actions) action();
  }

  afterTransactionRollback({ queryRunner }: TransactionEvent): void {
    this.close(queryRunner);
  }

  /** Takes away the innermost one, or all of them when the outermost has ended. */
  private close(runner: QueryRunner): Action[] {
    const open = this.openOn(runner);
    return open.splice(runner.isTransactionActive ? -1 : 0).flatMap(({ actions }) => actions);
  }

  /** At least one: it may have begun before we subscribed. */
  private openOn(runner: QueryRunner): Transaction[] {
    const open = this.open.get(runner) ?? [];
    if (open.length === 0) open.push(new Transaction());
    this.open.set(runner, open);
    return open;
  }

  /** Again with each call, because `initialize()` makes the list of subscribers anew. */
  private subscribe(): void {
    const { subscribers } = this.dataSource;
    if (!subscribers.includes(this)) subscribers.push(this);
  }
}
