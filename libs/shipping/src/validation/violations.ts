import { CodedError } from '../problems/shipping-http.error.js';

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
 * Exactly one of the three is there.
 */
type ViolationPlace =
  | {
      /** The place in the body or in the value, as a JSON pointer (RFC 6901). */
      readonly pointer: string;
      readonly parameter?: never;
      readonly header?: never;
    }
  | {
      /** The name of the parameter, in the path, in the query or of the call. */
      readonly parameter: string;
      readonly pointer?: never;
      readonly header?: never;
    }
  | {
      /** The name of the header. */
      readonly header: string;
      readonly pointer?: never;
      readonly parameter?: never;
    };

interface ViolationDetails {
  /** The kind of the violation, for programs. */
  readonly code: ViolationCode;
  /** A sentence in English says what is wrong. */
  readonly detail: string;
  /** The allowed values or names. */
  readonly allowed?: readonly string[];
  /** The place of the request in the array of `upsertMany`, from 0. Other calls do not set it. */
  readonly index?: number;
}

/**
 * One thing that is wrong with an input. Its place is a `pointer` into the body, such as `/meta/price`, a `parameter` or
 * a `header`. The other two are undefined.
 */
export type Violation = ViolationPlace & ViolationDetails;

export const maxViolations = 50;
const maxNameLength = 128;

/**
 * The base class of the two errors that list violations: {@link ValidationFailedError} and
 * {@link InvalidParameterError}.
 */
export abstract class InvalidInputError extends CodedError<'validation_failed' | 'invalid_parameter'> {
  protected constructor(
    code: InvalidInputError['code'],
    title: string,
    /** At most 50. In JSON, this list is `errors`. */
    readonly violations: readonly Violation[],
    /** Whether there were more than 50 violations. */
    readonly truncated: boolean,
  ) {
    const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
    const detail = `${violations[0]?.detail}${more}`;
    super({ title, status: 400, code, detail, errors: violations, ...(truncated && { truncated }) });
  }
}

/** The body of a request, or the input of a service, has violations. */
export class ValidationFailedError extends InvalidInputError {
  declare readonly code: 'validation_failed';

  constructor(violations: readonly Violation[], truncated = false) {
    super('validation_failed', 'Validation failed', violations, truncated);
  }
}

/** The path, the query, a header or an argument has violations, and perhaps the body, too. */
export class InvalidParameterError extends InvalidInputError {
  declare readonly code: 'invalid_parameter';

  constructor(violations: readonly Violation[], truncated = false) {
    super('invalid_parameter', 'Invalid parameter', violations, truncated);
  }
}

/** Adds a violation at one place. It returns an empty list, so that a check can end with `return report(…)`. */
export type Report = (code: ViolationCode, detail: string, allowed?: readonly string[]) => [];

/** Collects the violations of a request, so that a client can correct them all at once. */
export class Violations {
  constructor(
    private readonly found: Violation[] = [],
    private readonly request: Pick<Violation, 'index'> = {},
  ) {}

  /** Returns a collector that adds to the same list. Its violations have the index of a request in an array. */
  ofRequest(index: number): Violations {
    return new Violations(this.found, { index });
  }

  /** Returns a function that adds a violation. It throws the error when the list is full. */
  at(place: ViolationPlace): Report {
    return (code, detail, allowed) => {
      this.found.push({ ...place, ...this.request, code, detail, ...(allowed && { allowed }) });
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
    const listed = this.found.slice(0, maxViolations);
    const isTruncated = this.found.length > maxViolations;
    const isInBody = this.found.every(({ pointer }) => pointer !== undefined);
    throw isInBody
      ? new ValidationFailedError(listed, isTruncated)
      : new InvalidParameterError(listed, isTruncated);
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
