import { problemDetails, ShippingException } from '../shipping.exception.js';

/** What each code says of a value. */
export const faultCodes = {
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
};

export type FaultCode = keyof typeof faultCodes;

/** Where a fault is: a JSON pointer (RFC 6901) into the body, a path or query parameter, or a header. */
export type FaultPlace = { pointer: string } | { parameter: string } | { header: string };

export type Fault = FaultPlace & { code: FaultCode; detail: string; allowed?: readonly string[] };

export const maxFaults = 50;
const maxNameLength = 128;

interface FaultExtensions {
  errors: readonly Fault[];
  truncated?: true;
}

abstract class FaultsError extends ShippingException {
  constructor(
    code: string,
    title: string,
    readonly extensions: FaultExtensions,
  ) {
    const { errors } = extensions;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more: see errors)` : '';
    super(problemDetails(400, code, title, `${errors[0]?.detail}${more}`, { ...extensions }));
  }

  get errors(): readonly Fault[] {
    return this.extensions.errors;
  }
}

/** The input of a service, or the body of a request, has faults: all of them are in `errors`. */
export class ValidationFailedError extends FaultsError {
  constructor(extensions: FaultExtensions) {
    super('validation_failed', 'Validation failed', extensions);
  }
}

/** The path, the query or a header has faults (and perhaps the body too): all of them are in `errors`. */
export class InvalidParameterError extends FaultsError {
  constructor(extensions: FaultExtensions) {
    super('invalid_parameter', 'Invalid parameter', extensions);
  }
}

/** Gathers every fault of one request, so that a client mends all of them in one go. */
export class Faults {
  private readonly found: Fault[] = [];

  add(place: FaultPlace, code: FaultCode, detail: string, allowed?: readonly string[]): void {
    // One more than is shown, to know that there were more.
    if (this.found.length <= maxFaults) {
      this.found.push({ ...place, code, detail, ...(allowed && { allowed }) });
    }
  }

  /** Adds a fault of the body. @returns null: what is left of what had it */
  inBody(pointer: string, code: FaultCode, remedy: string, allowed?: readonly string[]): null {
    this.add({ pointer }, code, `${pointer} ${remedy}`, allowed);
    return null;
  }

  /** True once further faults would not be shown: a walk over hostile input can stop. */
  get full(): boolean {
    return this.found.length > maxFaults;
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  /** @throws InvalidParameterError, or ValidationFailedError when all faults are in the body */
  throwIfAny(): void {
    if (!this.any) return;
    const extensions: FaultExtensions = {
      errors: this.found.slice(0, maxFaults),
      ...(this.full && { truncated: true }),
    };
    const bodyOnly = this.found.every((fault) => 'pointer' in fault);
    throw bodyOnly ? new ValidationFailedError(extensions) : new InvalidParameterError(extensions);
  }
}

/** One more step of a JSON pointer; overlong names are cut, so that an answer cannot be made huge. */
export function pointerTo(parent: string, key: string | number): string {
  const name = shortened(String(key)).replaceAll('~', '~0').replaceAll('/', '~1');
  return `${parent}/${name}`;
}

/** A client's own word, short enough and well-formed enough to be sent back. */
export function shortened(text: string): string {
  const cut = text.length > maxNameLength ? `${text.slice(0, maxNameLength)}…` : text;
  return cut.toWellFormed();
}
