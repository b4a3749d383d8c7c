import { ShippingException } from '../problems/shipping.exception.js';

/** The codes of violations, with their meanings. */
export const violationCodes = {
  required: 'missing or null',
  type: 'of the wrong type',
  format: 'of the wrong form',
  length: 'too short or too long',
  range: 'too small or too large',
  unknown: 'an unknown name',
  duplicate: 'given twice',
  not_allowed: 'not allowed here',
  too_many: 'too many values or conditions',
  too_deep: 'nested too deeply',
  too_large: 'too many bytes',
} as const;

/** The kind of a violation, for programs. */
export type ViolationCode = keyof typeof violationCodes;

/**
 * The place of a violation: a JSON pointer (RFC 6901) into the body, a parameter of the path or query, or a header.
 */
export type ViolationPlace = { pointer: string } | { parameter: string } | { header: string };

/** One violation of a request. `detail` says in English what is wrong. `allowed` lists the allowed values or names. */
export type Violation = ViolationPlace & { code: ViolationCode; detail: string; allowed?: readonly string[] };

export const maxViolations = 50;
const maxNameLength = 128;

interface ViolationExtensions {
  errors: readonly Violation[];
  truncated?: true;
}

abstract class ViolationsError extends ShippingException {
  constructor(
    code: string,
    title: string,
    readonly extensions: ViolationExtensions,
  ) {
    const { errors } = extensions;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more: see errors)` : '';
    super({ title, status: 400, code, detail: `${errors[0]?.detail}${more}`, ...extensions });
  }

  get errors(): readonly Violation[] {
    return this.extensions.errors;
  }
}

/** The body of a request, or the input of a service, has violations. `errors` lists them, at most 50. */
export class ValidationFailedError extends ViolationsError {
  constructor(extensions: ViolationExtensions) {
    super('validation_failed', 'Validation failed', extensions);
  }
}

/** The path, the query or a header has violations, and perhaps the body, too. `errors` lists them, at most 50. */
export class InvalidParameterError extends ViolationsError {
  constructor(extensions: ViolationExtensions) {
    super('invalid_parameter', 'Invalid parameter', extensions);
  }
}

/** Adds a violation at one place. It returns an empty list, so that a check can end with `return report(…)`. */
export type Report = (code: ViolationCode, detail: string, allowed?: readonly string[]) => [];

/** Collects the violations of a request, so that a client can correct them all at once. */
export class Violations {
  private readonly found: Violation[] = [];

  /** The report of one more violation than the error lists throws the error, so that no check goes on. */
  at(place: ViolationPlace): Report {
    return (code, detail, allowed) => {
      this.found.push({ ...place, code, detail, ...(allowed && { allowed }) });
      if (this.found.length > maxViolations) this.throwIfAny();
      return [];
    };
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  /** @throws InvalidParameterError, or ValidationFailedError when all violations are in the body */
  throwIfAny(): void {
    if (!this.any) return;
    const extensions: ViolationExtensions = {
      errors: this.found.slice(0, maxViolations),
      ...(this.found.length > maxViolations && { truncated: true }),
    };
    const bodyOnly = this.found.every((violation) => 'pointer' in violation);
    throw bodyOnly ? new ValidationFailedError(extensions) : new InvalidParameterError(extensions);
  }
}

/** Adds a step to a JSON pointer. Long names are cut, so that a client cannot make the error huge. */
export function pointerTo(parent: string, key: string | number): string {
  const name = shortened(String(key)).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${parent}/${name}`;
}

/** Makes a text of a client short and well-formed, so that an error can quote it. */
export function shortened(text: string): string {
  const cut = text.length > maxNameLength ? `${text.slice(0, maxNameLength)}…` : text;
  return cut.toWellFormed();
}
