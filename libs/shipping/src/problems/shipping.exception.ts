import { HttpException } from '@nestjs/common';

/** The members of a problem that an error names by itself. */
interface ProblemMembers {
  title: string;
  status: number;
  /** A stable code for programs. */
  code: string;
  /** A text for a person: what happened and what to do. */
  detail: string;
  [extension: string]: unknown;
}

/** The problem details (RFC 9457) of one error, as a client receives them. */
export interface ProblemDetails extends ProblemMembers {
  /** `urn:problem:shipping:<code>` */
  type: string;
}

export function problemDetails(members: ProblemMembers): ProblemDetails {
  return { type: `urn:problem:shipping:${members.code}`, ...members };
}

/**
 * The base class of all errors that a client may see. It is an `HttpException`, so that any filter understands it. The
 * routes send `problem`. `getResponse()` returns the same fields, and also Nest's `statusCode`, `error` and `message`.
 * Catch the subclasses to act on one kind, or this class to act on all.
 */
export abstract class ShippingException extends HttpException {
  readonly code: string;
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
}
