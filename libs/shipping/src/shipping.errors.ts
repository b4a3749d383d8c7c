import {
  type DatabaseUnavailableError,
  type EndedTransactionError,
  type FailedTransactionError,
  type OutcomeUnknownError,
} from './database/database.errors.js';
import { type InvalidJsonError, type UnsupportedMediaTypeError } from './http/request.js';
import { isMarked } from './problems/shipping-http.error.js';
import type * as methods from './shipping-methods/shipping-methods.errors.js';
import { type InvalidParameterError, type ValidationFailedError } from './validation/violations.js';

/**
 * Each error of this library. `switch (error.code)` narrows it to one class. All but {@link FailedTransactionError} and
 * {@link EndedTransactionError} are a `ShippingHttpError`, with the status of a response.
 */
export type ShippingError =
  | ValidationFailedError
  | InvalidParameterError
  | InvalidJsonError
  | UnsupportedMediaTypeError
  | InstanceType<(typeof methods)[keyof typeof methods]>
  | DatabaseUnavailableError
  | OutcomeUnknownError
  | FailedTransactionError
  | EndedTransactionError;

/** The `code` of an error of this library. */
export type ShippingErrorCode = ShippingError['code'];

/**
 * Returns whether an error is one of this library. It also knows the errors of another copy of this package, which
 * `instanceof` does not.
 * @example
 * if (isShippingError(error) && error.code === 'duplicate_method') console.log(error.existingId);
 */
export function isShippingError(error: unknown): error is ShippingError {
  return isMarked(error);
}
