import { type EventEmitter } from 'node:events';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  HttpStatus,
  Logger,
} from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { type ProblemDetails, problemDetails, ShippingException } from '../shipping.exception.js';
import { InvalidJsonError } from './request.js';
import { type HttpResponse } from './http-response.js';
import { sendProblem } from './response.js';

/**
 * Answers every error as `application/problem+json` (RFC 9457), the host's own included, and what body parsers and
 * adapters refuse. Opt-in: `app.useGlobalFilters(new ProblemDetailsFilter())`. Our own refusals on the mounted
 * routes need it not. In a hybrid application, microservices and gateways send what Nest's own filters would send.
 */
@Catch()
export class ProblemDetailsFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemDetailsFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void | Observable<never> {
    switch (host.getType<string>()) {
      case 'http':
        return this.answer(exception, host.switchToHttp().getResponse<HttpResponse>());
      case 'rpc': {
        const message = this.messageOf(exception);
        return throwError(() => message);
      }
      case 'ws':
        host.switchToWs().getClient<EventEmitter>().emit('exception', this.messageOf(exception));
        return undefined;
      default:
        throw exception;
    }
  }

  /** What Nest's own filters for microservices and web sockets send: only their exceptions are for the client. */
  private messageOf(exception: unknown): unknown {
    const isForClient = exception instanceof Error && 'getError' in exception;
    const error: unknown =
      isForClient && typeof exception.getError === 'function'
        ? exception.getError()
        : 'Internal server error';
    if (!isForClient) this.log(exception);
    return typeof error === 'object' && error !== null ? error : { status: 'error', message: error };
  }

  private log(exception: unknown): void {
    this.logger.error(exception instanceof Error ? exception.stack : exception);
  }

  /** For what no filter of Nest's sees, such as Fastify's `frameworkErrors`; nothing, when an answer has left. */
  answer(exception: unknown, response: HttpResponse): void {
    const problem = problemOf(exception);
    if (problem.status >= 500) this.log(exception);
    sendProblem(response, problem, exception instanceof ShippingException ? exception.headers : {});
  }
}

/** The problem of any error; one that is no HTTP error says nothing of its cause. */
export function problemOf(exception: unknown): ProblemDetails {
  if (exception instanceof ShippingException) return exception.problem;
  const error: HttpError = exception instanceof Error ? exception : new Error();
  const status = statusOf(error);
  if (status === 400 && isPathError(error)) {
    const detail = 'The path must be percent-encoded UTF-8.';
    const errors = [{ parameter: 'path', code: 'format', detail }];
    return problemDetails(status, 'invalid_parameter', 'Invalid parameter', detail, { errors });
  }
  if (status === 400 && isBodyError(error)) return new InvalidJsonError().problem;
  if (status === 404 && /^Cannot [A-Z]+ /.test(error.message)) {
    const detail = 'There is no such route: check the method and the path.';
    return problemDetails(status, 'route_not_found', 'Route not found', detail);
  }
  const name = (HttpStatus[status] ?? 'error').toLowerCase();
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
  const isForClient = status < 500 && error.message && error.expose !== false;
  return problemDetails(status, name, title, isForClient ? error.message : `${title}.`);
}

/** What http-errors (Express's middleware) and Fastify set on their errors, and body-parser and zlib on theirs. */
interface HttpError extends Error {
  statusCode?: unknown;
  /** Whether the message is for the client. */
  expose?: unknown;
  code?: unknown;
  type?: unknown;
}

/** Nest 12 makes an `HttpException` of what middleware and Fastify throw; before, most of it comes as it is. */
function statusOf(error: HttpError): number {
  if (error instanceof HttpException) return error.getStatus();
  const { name, statusCode, expose } = error;
  const isHttpError = typeof expose === 'boolean' || name === 'FastifyError';
  const isClients = Number.isInteger(statusCode) && Number(statusCode) >= 400 && Number(statusCode) < 500;
  return isHttpError && isClients ? Number(statusCode) : 500;
}

function isPathError(error: HttpError): boolean {
  const { cause = error } = error;
  return (
    cause instanceof URIError ||
    error.code === 'FST_ERR_BAD_URL' ||
    (isOfOldNest(error) && /^(Failed to decode param|URI malformed)/.test(error.message))
  );
}

/** What the JSON parsers of Express and Fastify throw, zlib (`Z_…`) and Brotli (`ERR__ERROR_…`) below them. */
function isBodyError(error: HttpError): boolean {
  if (isOfOldNest(error)) {
    return /JSON|forbidden prototype property|did not match Content-Length/i.test(error.message);
  }
  const { cause = error } = error;
  if (!(cause instanceof Error)) return false;
  const { code, type } = cause as HttpError;
  return (
    cause instanceof SyntaxError ||
    type === 'entity.parse.failed' ||
    type === 'request.size.invalid' ||
    /^(Z_\w+|ERR__ERROR_\w+|FST_ERR_CTP_(INVALID_JSON_BODY|EMPTY_JSON_BODY|INVALID_CONTENT_LENGTH))$/.test(
      String(code),
    )
  );
}

/**
 * Nest 10 and 11 keep nothing but the message of what a parser or the router threw. Where they do so stands in the
 * stack, which tells such an exception from one that the host made itself.
 */
function isOfOldNest({ cause, stack = '' }: HttpError): boolean {
  return cause === undefined && /^\s+at (\w+\.)?mapExternalException /m.test(stack);
}
