import { type ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  HttpStatus,
  Logger,
} from '@nestjs/common';
import { type ProblemDetails, problemDetails, ShippingException } from '../problems/shipping.exception.js';
import { InvalidParameterError } from '../validation/violations.js';
import { type HttpResponse } from './answer.js';
import { InvalidJsonError } from './request.js';

const logger = new Logger('ShippingModule');

/**
 * Answers every error as `application/problem+json` (RFC 9457), the host's own included, and what body parsers and
 * adapters refuse. Opt-in: `app.useGlobalFilters(new ProblemDetailsFilter())`. For HTTP only. The mounted routes answer
 * our own refusals so without it.
 */
@Catch()
export class ProblemDetailsFilter implements ExceptionFilter {
  /** @throws the exception, where it is not about HTTP */
  catch(exception: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw exception;
    this.answer(exception, host.switchToHttp().getResponse<HttpResponse>());
  }

  /** For what no filter of Nest's sees, such as Fastify's `frameworkErrors`. Never adds to a sent answer. */
  answer(exception: unknown, response: HttpResponse | ServerResponse): void {
    const problem = problemOf(exception);
    if (problem.status >= 500) log(exception);
    if (response.headersSent || ('sent' in response && response.sent)) return;
    const own = exception instanceof ShippingException ? exception.headers : {};
    const headers = { ...own, 'Content-Type': 'application/problem+json' };
    const body = JSON.stringify(problem);
    // On Fastify the filter of a middleware's error gets the response of Node.
    if (!('status' in response)) {
      response.writeHead(problem.status, headers).end(body);
      return;
    }
    response.status(problem.status);
    for (const [name, value] of Object.entries(headers)) response.header(name, value);
    // Express's `send` would add an ETag, which is no method's.
    const plain = response as unknown as ServerResponse & {
      serializer(serialize: (text: unknown) => unknown): void;
    };
    if ('write' in response) plain.setHeader('Content-Length', Buffer.byteLength(body)).end(body);
    else {
      // Otherwise Fastify would add a charset, which this media type does not have.
      plain.serializer((text) => text);
      response.send(body);
    }
  }
}

/** Answers our own refusals on the mounted routes, before a global filter of the host does. */
@Catch(ShippingException)
export class ShippingExceptionFilter extends ProblemDetailsFilter {}

function log(exception: unknown): void {
  logger.error(exception instanceof Error ? exception.stack : exception);
}

/** The problem of any error; one that is no HTTP error says nothing of its cause. */
export function problemOf(exception: unknown): ProblemDetails {
  if (exception instanceof ShippingException) return exception.problem;
  const error: HttpError = exception instanceof Error ? exception : new Error();
  const status = statusOf(error);
  if (status === 400 && isPathError(error)) {
    const detail = 'The path must be percent-encoded UTF-8.';
    return new InvalidParameterError({ errors: [{ parameter: 'path', code: 'format', detail }] }).problem;
  }
  if (status === 400 && isBodyError(error)) return new InvalidJsonError().problem;
  if (status === 404 && /^Cannot [A-Z-]+ /.test(error.message)) {
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
  statusCode?: number;
  /** Whether the message is for the client. */
  expose?: boolean;
  code?: string;
  type?: string;
}

/** Nest 12 makes an `HttpException` of what middleware and Fastify throw; before, most of it comes as it is. */
function statusOf(error: HttpError): number {
  if (error instanceof HttpException) return error.getStatus();
  const { name, statusCode = 500, expose } = error;
  const isHttpError = typeof expose === 'boolean' || name === 'FastifyError';
  const isClients = Number.isInteger(statusCode) && statusCode >= 400 && statusCode < 500;
  return isHttpError && isClients ? statusCode : 500;
}

function isPathError(error: HttpError): boolean {
  const { cause = error, code, message } = error;
  if (cause instanceof URIError || code === 'FST_ERR_BAD_URL') return true;
  return isOfOldNest(error) && /^(Failed to decode param|URI malformed)/.test(message);
}

/** The codes of zlib (`Z_…`), Brotli (`ERR__ERROR_…`) and Fastify's JSON parser, and the types of Express's. */
const bodyCodes =
  /^(Z_\w+|ERR__ERROR_\w+|FST_ERR_CTP_(INVALID_JSON_BODY|EMPTY_JSON_BODY|INVALID_CONTENT_LENGTH))$/;
const bodyTypes = /^(entity\.parse\.failed|request\.size\.invalid)$/;

function isBodyError(error: HttpError): boolean {
  if (isOfOldNest(error)) {
    return /JSON|forbidden prototype property|did not match Content-Length/i.test(error.message);
  }
  const { cause = error } = error;
  if (!(cause instanceof Error)) return false;
  const { code = '', type = '' }: HttpError = cause;
  return cause instanceof SyntaxError || bodyCodes.test(code) || bodyTypes.test(type);
}

/**
 * Nest 10 and 11 keep nothing but the message of what a parser or the router threw. Where they do so stands in the
 * stack, which tells such an exception from one that the host made itself.
 */
function isOfOldNest({ cause, stack = '' }: HttpError): boolean {
  return cause === undefined && /^\s+at (\w+\.)?mapExternalException /m.test(stack);
}
