import { type CallOptions } from '../database/database.js';

/** Options of `find`, `findOrFail` and `findByCodes`. */
export interface FindOptions extends CallOptions {
  /**
   * No other transaction can change or remove the method, or the default that it inherits from, until the caller's
   * transaction ends. Other calls can lock the same method at the same time. The call returns the method as it is now, even
   * if the snapshot of the transaction is older.
   */
  lock?: boolean;
}

/** Options of `update` and `remove`. */
export interface ChangeOptions extends CallOptions {
  /** The call changes the method only while it has this `etag`, or one of these, as with `If-Match`. */
  etag?: string | readonly string[];
}

/** Options of `adoptDefaults`. */
export interface DryRunOptions extends CallOptions {
  /**
   * The call returns the result of a real call, and changes nothing: it writes nothing, emits nothing, does not call
   * `beforeCommit.change` and takes no lock. The ids of new methods, `created_at` and `updated_at` are made up. The errors
   * are the same, but your foreign keys (`MethodInUseError`), triggers and `beforeCommit.change` can refuse only a real
   * call.
   */
  dryRun?: boolean;
}

/** Options of `upsertMany`. */
export interface UpsertManyOptions extends DryRunOptions {
  /** The methods that no request names are removed. Without any request, the call fails. */
  removeOthers?: boolean;
  /** If `removeOthers` would remove more methods than this, the call fails. By default there is no limit. */
  maxRemoved?: number;
}

/**
 * Refuses a value of the wrong type, which the call would misunderstand.
 * @throws TypeError
 */
export function checkOptions({
  etag,
  dryRun,
  removeOthers,
  maxRemoved,
  lock,
}: FindOptions & ChangeOptions & UpsertManyOptions): void {
  for (const [name, value] of Object.entries({ dryRun, removeOthers, lock }))
    if (value !== undefined && typeof value !== 'boolean')
      throw new TypeError(`The option "${name}" must be true or false.`);
  if (maxRemoved !== undefined && !(Number.isInteger(maxRemoved) && maxRemoved >= 0))
    throw new TypeError('The option "maxRemoved" must be an integer from 0.');
  const isEntityTag = (tag: unknown): boolean => typeof tag === 'string' && /^(W\/)?"[^"]*"$/.test(tag);
  if (etag !== undefined && ![etag].flat().every(isEntityTag))
    throw new TypeError(
      'The option "etag" must be an entity tag with its quotes, such as method.etag, or an array of them.',
    );
}
