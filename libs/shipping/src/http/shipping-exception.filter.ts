import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { ShippingException } from '../shipping.exception.js';
import { type HttpResponse } from './http-response.js';
import { sendProblem } from './response.js';

/**
 * Answers our own refusals on the mounted routes as `application/problem+json`, before a global filter of the host's
 * makes something else of them. What is not ours goes to the host's filters.
 */
@Catch(ShippingException)
export class ShippingExceptionFilter implements ExceptionFilter<ShippingException> {
  private readonly logger = new Logger('ShippingModule');

  catch(exception: ShippingException, host: ArgumentsHost): void {
    if (exception.problem.status >= 500) this.logger.error(exception.stack);
    sendProblem(host.switchToHttp().getResponse<HttpResponse>(), exception.problem, exception.headers);
  }
}
