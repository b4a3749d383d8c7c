import { type ShippingCallOptions, type OptionRule, type OptionRules } from '../database/call-options.js';
import { isEntityTag } from '../http/conditional.js';
import { type Violations } from '../validation/violations.js';

/** Options of `find`, `findOrFail`, `findByCodes` and `findByCodesOrFail`. */
export interface FindMethodOptions extends ShippingCallOptions {
  /**
   * `true`: no other transaction can change or remove the method, or the default that it inherits from, until your
   * transaction ends. A default that is created meanwhile is not held back. Other calls can lock the same method at the
   * same time. Without a transaction, the call throws a `TypeError`.
   *
   * The call returns the method as it is now. If a faster change has removed the method, or has given it other codes
   * or another default, the call may throw a `DatabaseUnavailableError` with `contention: 'race'`. If the transaction
   * reads from a snapshot, it does not find a method or a default that was created after the snapshot.
   * @default false
   */
  lock?: boolean | undefined;
}

/** Options of `update` and `remove`. */
export interface ChangeMethodOptions extends ShippingCallOptions {
  /**
   * The call changes the method only while it has this `etag`, or one of these, as with `If-Match`. A version alone,
   * such as `"3"`, does not protect inherited values.
   */
  etag?: string | readonly string[] | undefined;
}

/** Options of `adoptDefaults`. */
export interface DryRunOptions extends ShippingCallOptions {
  /**
   * `true`: the call returns the result of a real call, and changes nothing: it writes nothing, emits nothing, does not
   * call `beforeCommit.change` and takes no lock. The ids of new methods, `created_at` and `updated_at` are made up. The
   * errors are the same, but your foreign keys (`MethodInUseError`), triggers and `beforeCommit.change` can refuse only
   * a real call.
   * @default false
   */
  dryRun?: boolean | undefined;
}

/** Options of `upsertMany`. */
export interface UpsertManyOptions extends DryRunOptions {
  /**
   * `true`: the methods that no request names are removed. Without any request, the call throws a
   * `TooManyRemovalsError`.
   * @default false
   */
  removeOthers?: boolean | undefined;
  /**
   * If `removeOthers` would remove more methods than this, the call throws a `TooManyRemovalsError`. By default there is
   * no limit. Without `removeOthers`, the option is a `TypeError`.
   */
  maxRemoved?: number | undefined;
}

const isBoolean: OptionRule = {
  accepts: (value) => typeof value === 'boolean',
  expected: 'true or false',
};

export const findOptions: OptionRules<FindMethodOptions> = { lock: isBoolean };

/** `checkEtag` checks the value. */
export const changeOptions: OptionRules<ChangeMethodOptions> = { etag: {} };

/** A host may pass on the `If-Match` of its client. So a malformed etag is an error of the client, not a `TypeError`. */
export function checkEtag(violations: Violations, options: ChangeMethodOptions): void {
  const { etag = [] } = Object(options) as ChangeMethodOptions;
  if ([etag].flat().every(isEntityTag)) return;
  const detail = 'etag must be an entity tag with its quotes, such as method.etag, or an array of them.';
  violations.at({ parameter: 'etag' })('format', detail);
}

export const dryRunOptions: OptionRules<DryRunOptions> = { dryRun: isBoolean };

export const upsertManyOptions: OptionRules<UpsertManyOptions> = {
  removeOthers: isBoolean,
  maxRemoved: {
    accepts: (value, { removeOthers }: UpsertManyOptions) =>
      Number.isInteger(value) && Number(value) >= 0 && removeOthers !== undefined,
    expected: 'an integer from 0, beside removeOthers',
  },
  ...dryRunOptions,
};
