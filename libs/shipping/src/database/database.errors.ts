import { randomInt } from 'node:crypto';
import { CodedError, errorMark } from '../problems/shipping-http.error.js';

/** Returns 1 to 3 seconds at random. Otherwise all clients of an outage would return at the same moment. */
const retryAfter = (): Readonly<Record<string, string>> => ({ 'Retry-After': String(randomInt(1, 4)) });

const whatHappened = {
  unavailable: 'The database is not available now.',
  race: 'Another change of the same data was faster.',
  lock: 'Another change of the same data has not ended.',
};

/** The database could not be reached, took too long, or another writer won. Nothing was changed: try again. */
export class DatabaseUnavailableError extends CodedError<'database_unavailable'> {
  override readonly headers = retryAfter();
  override readonly endsTransaction = true;

  constructor(
    cause: unknown,
    /**
     * Set if another writer won. `race`: a deadlock or a serialization failure, so repeat the transaction. `lock`: a
     * lock time-out, so another transaction stays open for too long.
     */
    readonly contention?: 'lock' | 'race',
  ) {
    const detail = `${whatHappened[contention ?? 'unavailable']} Nothing was changed. Try again.`;
    super({ title: 'Temporarily unavailable', status: 503, code: 'database_unavailable', detail }, { cause });
  }
}

export function lostRaceError(cause: unknown = new Error('Another writer was faster.')): Error {
  return new DatabaseUnavailableError(cause, 'race');
}

/** Tells whether another writer of the same data was faster. */
export function isLostRace(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && error.contention === 'race';
}

/** The database did not confirm a change, which may or may not have happened. Look before you try again. */
export class OutcomeUnknownError extends CodedError<'outcome_unknown'> {
  override readonly headers = retryAfter();
  override readonly endsTransaction = true;

  constructor(cause: unknown) {
    const detail =
      'The database did not confirm the commit. Nobody knows whether the change was made. Check this before you try again.';
    super({ title: 'Outcome unknown', status: 503, code: 'outcome_unknown', detail }, { cause });
  }
}

/** An error for the developer. It is no `HttpException`, so that Nest logs it and sends 500. */
abstract class TransactionError extends Error {
  /** Your transaction can only be rolled back, unless it has ended already. */
  readonly endsTransaction = true;

  /** @internal */
  get [errorMark](): true {
    return true;
  }
}

/** A statement of yours came after its transaction had failed. Its `cause` is the first error. */
export class FailedTransactionError extends TransactionError {
  override readonly name = 'FailedTransactionError';
  readonly code = 'transaction_failed';

  constructor(cause: unknown) {
    super(
      'A call of ShippingModule in this transaction, or a statement beside it, has failed. Roll the transaction back.',
      { cause },
    );
  }
}

/**
 * A statement or a call came after its transaction had ended, for instance because it was not awaited. It is no 503,
 * because your client would then repeat a request that may have succeeded.
 */
export class EndedTransactionError extends TransactionError {
  override readonly name = 'EndedTransactionError';
  readonly code = 'transaction_ended';

  /**
   * @param cause the error that has ended the transaction, if it is known
   * @param reason why it had ended; by default, why a call came too late
   */
  constructor(
    cause?: unknown,
    reason = 'Either a call of ShippingModule was not awaited, or a subscriber of TypeORM made it in ' +
      'beforeTransactionCommit, or the list dataSource.subscribers was replaced.',
  ) {
    const what = 'This statement did nothing, because its transaction had ended or was about to end.';
    super(`${what} ${reason} If you keep a QueryRunner, take a new one.`, { cause });
  }
}
