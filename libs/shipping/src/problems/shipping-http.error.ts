import { HttpException } from '@nestjs/common';

/** The members of a problem that an error names by itself. */
interface ProblemMembers<Code extends string = string> {
  /** A short text for a person, the same for each problem with this `code`. */
  readonly title: string;
  /** The status of the response. */
  readonly status: number;
  /** A stable code for programs. */
  readonly code: Code;
  /** A text for a person: what happened and what to do. */
  readonly detail: string;
  readonly [extension: string]: unknown;
}

/** The problem details (RFC 9457) of one error, as a client receives them. */
export interface ProblemDetails extends ProblemMembers {
  /** `urn:problem:shipping:<code>` */
  readonly type: string;
}

export function problemDetails(members: ProblemMembers): ProblemDetails {
  return { type: `urn:problem:shipping:${members.code}`, ...members };
}

/** All copies of this package mark their errors with this symbol, so that one copy knows the errors of another. */
export const errorMark: unique symbol = Symbol.for('nestjs-shipping.error');

/** Returns whether an error is one of ours, perhaps of another copy of this package. */
export function isMarked(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && errorMark in error;
}

/** Returns whether an error is one that clients may see, perhaps of another copy of this package. */
export function isShippingHttpError(error: unknown): error is ShippingHttpError {
  return isMarked(error) && 'problem' in error;
}

/**
 * The base class of all errors that a client may see. It is an `HttpException`, so that any filter understands it. The
 * routes send {@link problem}. `getResponse()` returns the same fields, and also Nest's `statusCode`, `error` and
 * `message`. Give this class to Nest's `@Catch()` in a filter of your own. In other code, `isShippingError()` tells
 * more: it knows each `code`, and also the errors of another copy of this package.
 */
export abstract class ShippingHttpError extends HttpException {
  /** A stable code for programs, such as `method_not_found`. */
  readonly code: string;
  /** The body of the response. */
  readonly problem: ProblemDetails;
  /** Headers of the response, for instance `Retry-After`. The routes and `ProblemDetailsFilter` send them. */
  readonly headers: Readonly<Record<string, string>> = {};
  /**
   * Whether your transaction can only be rolled back after a call in it has thrown this error. If the error comes from
   * your `beforeCommit`, this is always so.
   */
  readonly endsTransaction: boolean = false;

  protected constructor(members: ProblemMembers, options?: { cause?: unknown }) {
    const problem = problemDetails(members);
    // The host's filter may read the fields of Nest's exceptions. Without them, its response would say nothing.
    const { status: statusCode, title: error, detail: message } = problem;
    super({ ...problem, statusCode, error, message }, statusCode, options);
    this.code = problem.code;
    this.problem = problem;
  }

  /** @internal */
  get [errorMark](): true {
    return true;
  }
}

/** Gives the `code` of an error its literal type. `instanceof` with a generic class would make the code `any`. */
export abstract class CodedError<Code extends string> extends ShippingHttpError {
  declare readonly code: Code;

  protected constructor(members: ProblemMembers<Code>, options?: { cause?: unknown }) {
    super(members, options);
  }
}
