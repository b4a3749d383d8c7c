import {
  isShippingError,
  toShippingError,
  type ShippingError,
  type ShippingErrorCode,
} from 'nestjs-shipping';

type Verdict = 'repeat the job' | 'look before you repeat' | 'give up';

/** If the library gets a new code, this map does not compile until it has the code, too. */
const verdicts = {
  validation_failed: 'give up',
  invalid_parameter: 'give up',
  invalid_json: 'give up',
  unsupported_media_type: 'give up',
  method_not_found: 'give up',
  duplicate_method: 'give up',
  too_many_methods: 'give up',
  too_many_removals: 'give up',
  method_in_use: 'give up',
  version_mismatch: 'repeat the job',
  database_unavailable: 'repeat the job',
  outcome_unknown: 'look before you repeat',
  transaction_failed: 'give up',
  transaction_ended: 'give up',
} satisfies Record<ShippingErrorCode, Verdict>;

function reasonOf(error: ShippingError): string {
  switch (error.code) {
    case 'duplicate_method':
      return `The method ${error.existingId} has these codes.`;
    case 'version_mismatch':
      return `The method is at version ${error.currentVersion} now.`;
    case 'validation_failed':
    case 'invalid_parameter':
      return error.violations.map(({ pointer, parameter, code }) => `${pointer ?? parameter} ${code}`).join();
    case 'database_unavailable':
      return error.contention ?? 'down';
    default:
      return error.message;
  }
}

/** Says what a worker does after an error, also after an error of its own statement. */
export function verdictOn(thrown: unknown): { verdict: Verdict; reason: string } {
  const error = toShippingError(thrown);
  if (!isShippingError(error)) return { verdict: 'give up', reason: String(error) };
  return { verdict: verdicts[error.code], reason: reasonOf(error) };
}
