import { type DataSource, type EntitySubscriberInterface, type QueryRunner } from 'typeorm';
import { currentContext } from './call-context.js';
import { endsTransaction, toShippingError } from './driver-errors.js';
import { isConnectionSound, rollBackAbandoned, abandonedRollback } from './connections.js';
import { type Dialect } from './dialects/dialect.js';
import { dialectOf } from './dialects/dialects.js';
import { type Outcome, stateOf, type TransactionStatement } from './runner-state.js';
import { soon, withinMs } from './timers.js';
import { maxTurnMs } from './turns.js';

interface TransactionEvent {
  queryRunner: QueryRunner;
}

interface QueryEvent extends TransactionEvent, Outcome {
  query: string;
}

/** The statements with which TypeORM begins and ends transactions. The host may have savepoints with other names. */
const transactionPattern =
  /^(?:(START|BEGIN) TRANSACTION|(SAVEPOINT|RELEASE|ROLLBACK TO)(?: SAVEPOINT)? typeorm_\d+|(COMMIT|ROLLBACK))$/;

function transactionStatementOf(query: string): TransactionStatement | undefined {
  const [, begin, savepoint, end] = transactionPattern.exec(query) ?? [];
  return (begin ?? savepoint ?? end) as TransactionStatement | undefined;
}

/**
 * Observes the transactions that TypeORM begins and ends on a DataSource. Each beginning and each end takes a turn after
 * the calls that were made before it. After a call has failed, its transaction refuses every statement until it is
 * rolled back, as PostgreSQL does.
 */
export class TransactionSubscriber implements EntitySubscriberInterface {
  private readonly dialect: Dialect;

  constructor(dataSource: DataSource) {
    this.dialect = dialectOf(dataSource);
  }

  async beforeTransactionStart({ queryRunner }: TransactionEvent): Promise<void> {
    await takeTurn(queryRunner, 'take');
  }

  /** On SQLite, another transaction may have ended while this one waited to begin. TypeORM then marks both as ended. */
  afterTransactionStart({ queryRunner }: TransactionEvent): void {
    if (this.dialect.hasOneConnection) Object.assign(queryRunner, { isTransactionActive: true });
  }

  /** @throws Error after a call has failed. TypeORM then rolls back, and the host gets the error. */
  beforeTransactionCommit({ queryRunner }: TransactionEvent): Promise<void> {
    return handled(prepareCommit(queryRunner));
  }

  async beforeTransactionRollback({ queryRunner }: TransactionEvent): Promise<void> {
    const finish = this.dialect.hasOneConnection ? rollBackUnsent : undefined;
    await takeTurn(
      queryRunner,
      'takeLast',
      () => stateOf(queryRunner).markEnding(queryRunner, 'rollback'),
      finish,
    );
  }

  /** @throws Error after a call has failed. On MySQL, a statement after a deadlock would commit by itself. */
  beforeQuery({ queryRunner, query }: QueryEvent): Promise<void> | undefined {
    const state = stateOf(queryRunner);
    const refuse = (): void => state.refuseStatement(query);
    refuse();
    const isTransactionStatement = transactionPattern.test(query);
    if (isTransactionStatement) state.sending();
    if (query !== abandonedRollback && !isConnectionSound(queryRunner))
      return handled(rollBackAbandoned(queryRunner));
    const { whenIdle } = this.dialect;
    if (!whenIdle || !state.innermost) return undefined;
    const idle = (): Promise<void> => whenIdle(queryRunner);
    const isOfHost = !isTransactionStatement && !isOurs(queryRunner);
    return handled(isOfHost ? state.order.beforeHosts(idle, refuse) : state.order.beforeOurs(idle, refuse));
  }

  /** @throws Error as `RunnerState.responded` does */
  afterQuery(event: QueryEvent): void {
    const { queryRunner, query, success, error } = event;
    const state = stateOf(queryRunner);
    const statement = transactionStatementOf(query);
    if (statement !== undefined) {
      state.responded(statement, event);
      // A full disk makes SQLite roll back by itself. It then refuses the ROLLBACK.
      if (!success && statement === 'ROLLBACK' && this.dialect.hasOneConnection)
        forgetTransaction(queryRunner);
      return;
    }
    if (!isOurs(queryRunner)) state.order.hostStatementEnded();
    // A subscriber of the host may ignore the error of a statement that it sends during a call of ours.
    if (!success && endsTransaction(error, this.dialect))
      state.outermost?.fail(toShippingError(error, { mayHaveCommitted: false }));
  }
}

async function prepareCommit(runner: QueryRunner): Promise<void> {
  const state = stateOf(runner);
  // TypeORM calls all subscribers at once. One behind ours may make a call, which belongs to this transaction.
  await Promise.resolve();
  await takeTurn(runner, 'takeLast', () => state.markEnding(runner, 'commit'));
  state.refuseFailedTransaction();
}

/**
 * If a subscriber of the host throws before it returns a promise, TypeORM does not await ours. Its error would then end
 * the process.
 */
function handled(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}

/**
 * Waits for a turn, which lasts until the server has responded to the statement that TypeORM sends next.
 * @param order a beginning takes the next turn; an end also waits for the calls that are made while it waits
 * @param prepare runs at the beginning of the turn
 * @param finish runs at the end of the turn
 */
function takeTurn(
  runner: QueryRunner,
  order: 'take' | 'takeLast',
  prepare?: () => void,
  finish?: (runner: QueryRunner, response: Promise<void>) => Promise<void>,
): Promise<void> {
  const state = stateOf(runner);
  const context = currentContext();
  const turns = context?.runner === runner ? context.turns : state.turns;
  return new Promise<void>((begin, fail) => {
    const turn = turns[order](async () => {
      prepare?.();
      const response = state.nextResponse();
      begin();
      await Promise.race([response, new Promise(soon)]);
      // If the statement is not on its way by now, a subscriber of the host has failed, or waits.
      if (state.isSending) await withinMs(response, maxTurnMs);
      await finish?.(runner, response);
    });
    turn.catch(fail);
  });
}

/**
 * Sends the ROLLBACK that a subscriber of the host has prevented. On SQLite, nobody else would ever end the transaction
 * of the one connection.
 */
async function rollBackUnsent(runner: QueryRunner, response: Promise<void>): Promise<void> {
  const state = stateOf(runner);
  const isOpen = (): boolean => state.outermost?.ending === 'rollback';
  // If another subscriber has refused the statement, the turn has waited for it already.
  if (isOpen() && !state.isSending) await withinMs(response, maxTurnMs);
  if (!isOpen()) return;
  await runner.query('ROLLBACK');
  forgetTransaction(runner);
}

/** Tells TypeORM that no transaction is open. Otherwise it would begin the next one as a savepoint. */
function forgetTransaction(runner: QueryRunner): void {
  Object.assign(runner, { isTransactionActive: false, transactionDepth: 0 });
}

/** Tells whether a statement that is sent now belongs to a call of ours. */
function isOurs(runner: QueryRunner): boolean {
  const context = currentContext();
  return context?.runner === runner && context.kind === 'statements';
}

/** Makes TypeORM report the transactions of a DataSource to us. */
export function observeTransactions(dataSource: DataSource): void {
  const { subscribers } = dataSource;
  const isObserved = subscribers.some((each) => each instanceof TransactionSubscriber);
  if (!isObserved) subscribers.push(new TransactionSubscriber(dataSource));
}
