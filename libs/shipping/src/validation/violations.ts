import { problemDetails, ShippingException } from '../problems/shipping.exception.js';

/** What a violation can be, with its meaning. */
export const violationCodes = {
  required: 'missing or null',
  type: 'of the wrong type',
  format: 'of the wrong form',
  length: 'too short or too long',
  range: 'too small or too great',
  unknown: 'no name that is known here',
  duplicate: 'given twice',
  not_allowed: 'not allowed here',
  too_many: 'too many of them',
  too_deep: 'nested too deep',
  too_large: 'too many bytes',
} as const;

export type ViolationCode = keyof typeof violationCodes;

/** Where a violation is: a JSON pointer (RFC 6901) into the body, a path or query parameter, or a header. */
export type ViolationPlace = { pointer: string } | { parameter: string } | { header: string };

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
    super(problemDetails(400, code, title, `${errors[0]?.detail}${more}`, { ...extensions }));
  }

  get errors(): readonly Violation[] {
    return this.extensions.errors;
  }
}

/** The input of a service, or the body of a request, has violations: all of them are in `errors`. */
export class ValidationFailedError extends ViolationsError {
  constructor(extensions: ViolationExtensions) {
    super('validation_failed', 'Validation failed', extensions);
  }
}

/** The path, the query or a header has violations (and perhaps the body too): all of them are in `errors`. */
export class InvalidParameterError extends ViolationsError {
  constructor(extensions: ViolationExtensions) {
    super('invalid_parameter', 'Invalid parameter', extensions);
  }
}

/** Adds a violation at one place. @returns an empty list: no value is left */
export type Refuse = (code: ViolationCode, detail: string, allowed?: readonly string[]) => [];

/** Gathers all violations of one request, so that a client can mend them in one go. */
export class Violations {
  private readonly found: Violation[] = [];

  at(place: ViolationPlace): Refuse {
    return (code, detail, allowed) => {
      // One more than is shown, so that `full` knows of it.
      if (this.found.length <= maxViolations)
        this.found.push({ ...place, code, detail, ...(allowed && { allowed }) });
      return [];
    };
  }

  /** True when no further violation would be shown, so that a walk over hostile input can stop. */
  get full(): boolean {
    return this.found.length > maxViolations;
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  /** @throws InvalidParameterError, or ValidationFailedError when all violations are in the body */
  throwIfAny(): void {
    if (!this.any) return;
    const extensions: ViolationExtensions = {
      errors: this.found.slice(0, maxViolations),
      ...(this.full && { truncated: true }),
    };
    const bodyOnly = this.found.every((violation) => 'pointer' in violation);
    throw bodyOnly ? new ValidationFailedError(extensions) : new InvalidParameterError(extensions);
  }
}

/** Adds a step to a JSON pointer. Long names are cut, so that no client can make an answer huge. */
export function pointerTo(parent: string, key: string | number): string {
  const name = shortened(String(key)).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${parent}/${name}`;
}

/** A name that a client sent, short and well-formed enough to be sent back. */
export function shortened(text: string): string {
  const cut = text.length > maxNameLength ? `${text.slice(0, maxNameLength)}…` : text;
  return cut.toWellFormed();
}
