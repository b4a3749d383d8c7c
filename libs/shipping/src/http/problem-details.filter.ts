import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  HttpStatus,
  Logger,
} from '@nestjs/common';
import { type ProblemDetails, problemDetails, ShippingException } from '../shipping.exception.js';
import { InvalidJsonError } from './request.js';
import { type HttpResponse, sendProblem } from './response.js';

/**
 * Answers every error as `application/problem+json` (RFC 9457), the host's own included. Opt-in:
 * `app.useGlobalFilters(new ProblemDetailsFilter())`. Without it the host's filters see our exceptions as
 * `HttpException`s whose body is the problem.
 */
@Catch()
export class ProblemDetailsFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemDetailsFilter.name);

  catch(exception: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw exception;
    const response = host.switchToHttp().getResponse<HttpResponse>();
    const problem = problemOf(exception);
    if (problem.status >= 500) this.logger.error(exception instanceof Error ? exception.stack : exception);
    sendProblem(response, problem, exception instanceof ShippingException ? exception.headers : {});
  }
}

/** The problem of any error; one that is no `HttpException` says nothing of its cause. */
export function problemOf(exception: unknown): ProblemDetails {
  if (exception instanceof ShippingException) return exception.problem;
  const status = exception instanceof HttpException ? exception.getStatus() : 500;
  const message = exception instanceof HttpException ? exception.message : '';
  const cause = exception instanceof Error ? exception.cause : undefined;
  if (status === 400 && isBodyError(cause)) {
    return new InvalidJsonError().problem;
  }
  if (status === 400 && cause instanceof URIError) {
    const detail = 'The path must be percent-encoded UTF-8.';
    const errors = [{ parameter: 'path', code: 'format', detail }];
    return problemDetails(status, 'invalid_parameter', 'Invalid parameter', detail, { errors });
  }
  if (status === 404 && /^Cannot [A-Z]+ /.test(message)) {
    const detail = 'There is no such route: check the method and the path.';
    return problemDetails(status, 'route_not_found', 'Route not found', detail);
  }
  const name = (HttpStatus[status] ?? 'error').toLowerCase();
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
  return problemDetails(status, name, title, status < 500 && message ? message : `${title}.`);
}

/** What the JSON parsers of Express and Fastify throw, zlib (`Z_…`) and Brotli (`ERR__ERROR_…`) below them. */
function isBodyError(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const { code, type } = cause as { code?: unknown; type?: unknown };
  return (
    cause instanceof SyntaxError ||
    type === 'entity.parse.failed' ||
    type === 'request.size.invalid' ||
    /^(Z_\w+|ERR__ERROR_\w+|FST_ERR_CTP_(INVALID_JSON_BODY|EMPTY_JSON_BODY|INVALID_CONTENT_LENGTH))$/.test(
      String(code),
    )
  );
}
