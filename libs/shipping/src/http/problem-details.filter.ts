import { type ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  HttpStatus,
  Logger,
} from '@nestjs/common';
import {
  isShippingHttpError,
  type ProblemDetails,
  problemDetails,
  ShippingHttpError,
} from '../problems/shipping-http.error.js';
import { isObject } from '../validation/objects.js';
import { InvalidParameterError } from '../validation/violations.js';
import { type FastifyResponse } from './response.js';
import { InvalidJsonError } from './request.js';

const logger = new Logger('ShippingModule');
/** Nest's own filter logs with this context. */
const hostLogger = new Logger('ExceptionsHandler');

/**
 * Sends every error as `application/problem+json` (RFC 9457): your errors, ours, and the errors of body parsers and
 * adapters. It is for HTTP only. A microservice of the same application must not inherit it, because its callers would
 * get no response. The mounted routes send our own errors as problems without this filter. The filter adds nothing to a
 * response that was begun. On Express, it ends that response.
 * @example
 * app.useGlobalFilters(new ProblemDetailsFilter());
 */
@Catch()
export class ProblemDetailsFilter implements ExceptionFilter {
  /** @throws the exception, outside of HTTP */
  catch(exception: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw exception;
    this.send(exception, host.switchToHttp().getResponse<FastifyResponse | ServerResponse>());
  }

  /** Sends an error that Nest passes to no filter, such as one of Fastify's `frameworkErrors`. */
  send(exception: unknown, response: FastifyResponse | ServerResponse): void {
    const problem = problemOf(exception);
    if (problem.status >= 500) log(exception);
    const exceptionHeaders = isShippingHttpError(exception) ? exception.headers : {};
    const headers = Object.entries({ ...exceptionHeaders, 'Content-Type': 'application/problem+json' });
    const body = JSON.stringify(problem);
    if ('serializer' in response) {
      if (response.sent) return;
      response.status(problem.status);
      for (const [name, text] of headers) response.header(name, text);
      // Otherwise Fastify would add a charset, which this media type does not have.
      response.serializer((text) => text);
      response.send(body);
      return;
    }
    // Express's response is a Node response. Its `send()` would add an ETag and a charset. On Fastify, the error of a
    // middleware comes with a Node response, too.
    if (response.headersSent) {
      // Nest's own filter does the same. Otherwise the client would wait for the rest of the response.
      response.end();
      return;
    }
    response.statusCode = problem.status;
    for (const [name, text] of headers) response.setHeader(name, text);
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  }
}

/** Sends our own errors on the mounted routes. Nest asks it before a global filter of the host. */
@Catch(ShippingHttpError)
export class ShippingExceptionFilter extends ProblemDetailsFilter {}

function log(exception: unknown): void {
  if (!isShippingHttpError(exception)) {
    hostLogger.error(exception instanceof Error ? exception.stack : exception);
    return;
  }
  // The stack of our error does not show what the database reported. The cause has the query with its values, so it is
  // not logged.
  const contention = 'contention' in exception ? exception.contention : undefined;
  const parts = [
    exception.code,
    contention && `(contention: ${String(contention)})`,
    ...codeAndMessageOf(exception.cause),
  ];
  const line = parts.filter(Boolean).join(' ');
  // Contention is usual: another writer was faster, and the client tries again.
  if (contention) logger.warn(line);
  else logger.error(line);
}

/** @returns the code and the message of a driver's error, which TypeORM may have wrapped */
function codeAndMessageOf(cause: unknown): unknown[] {
  if (!(cause instanceof Error)) return [];
  const { driverError = cause } = cause as { driverError?: Error };
  return [(driverError as { code?: unknown }).code, driverError.message];
}

/** Returns the problem of any error. The problem of a server error says nothing about the cause. */
export function problemOf(exception: unknown): ProblemDetails {
  if (isShippingHttpError(exception)) return exception.problem;
  const error: HttpError = exception instanceof Error ? exception : new Error();
  const status = statusOf(error);
  const unreadable = status === 400 && unreadableError(error);
  if (unreadable) return unreadable.problem;
  const name = (HttpStatus[status] ?? 'error').toLowerCase();
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
  // The message and the fields of an error may have a statement and its values.
  const isHidden = error.expose === false || responseOf(error) instanceof Error;
  const isForClient = status < 500 && error.message && !isHidden;
  const problem = problemDetails({
    title,
    status,
    code: name,
    detail: isForClient ? messageOf(error) : `${title}.`,
  });
  return isForClient ? { ...hostMembersOf(error), ...problem } : problem;
}

/**
 * Returns what a host has put into its exception beside the members that Nest adds, for instance `lines` of an import.
 */
function hostMembersOf(error: HttpError): object {
  const response = responseOf(error);
  const plain: unknown =
    isObject(response) && typeof response['toJSON'] === 'function' ? response['toJSON']() : response;
  if (!isObject(plain)) return {};
  const { message: _message, error: _error, statusCode: _statusCode, ...members } = plain;
  return members;
}

/** Nest's ValidationPipe has a list of messages in its response. */
function messageOf(error: HttpError): string {
  const { message } = Object(responseOf(error)) as { message?: unknown };
  const messages = Array.isArray(message) ? message.filter((each) => typeof each === 'string') : [];
  const sentences = messages.map((each) => (/[.!?]$/.test(each) ? each : `${each}.`));
  return sentences.join(' ') || error.message;
}

function responseOf(error: HttpError): unknown {
  return error instanceof HttpException ? error.getResponse() : undefined;
}

/**
 * The public fields of the errors of body-parser, of Fastify, and of `http-errors`, which middleware of Express throws.
 */
interface HttpError extends Error {
  statusCode?: number;
  /** Whether the message is for the client. */
  expose?: boolean;
  /** Fastify's name of the error. */
  code?: string;
  /** body-parser's name of the error. */
  type?: string;
}

/**
 * Nest 12 turns the errors of body parsers and adapters into an `HttpException`, whose cause is the error. Nest 10 and
 * 11 pass some of these errors on.
 */
function statusOf(error: HttpError): number {
  if (error instanceof HttpException) return error.getStatus();
  const { name, statusCode = 500, expose } = error;
  const isHttpError = typeof expose === 'boolean' || name === 'FastifyError';
  const isClientError = Number.isInteger(statusCode) && statusCode >= 400 && statusCode < 500;
  return isHttpError && isClientError ? statusCode : 500;
}

/** Returns our error for a path or a body that could not be parsed. The error of the parser may be the cause. */
function unreadableError(error: HttpError): ShippingHttpError | undefined {
  const origin = (error.cause ?? error) as HttpError;
  const { code = '', type } = origin;
  if (origin instanceof URIError || code === 'FST_ERR_BAD_URL') {
    const detail = 'The path must be percent-encoded UTF-8.';
    return new InvalidParameterError([{ parameter: 'path', code: 'format', detail }]);
  }
  const isFastifyError = /^FST_ERR_CTP_(INVALID|EMPTY)_JSON_BODY$/.test(code);
  const isJsonError = origin instanceof SyntaxError || isFastifyError || type === 'entity.parse.failed';
  return isJsonError ? new InvalidJsonError() : undefined;
}
