import { SerializeOptions, type Type, UseFilters } from '@nestjs/common';
import { OutcomeUnknownError } from '../database/database.errors.js';
import { typedOwnError } from '../database/driver-errors.js';
import { mountController } from '../http/mount-controller.js';
import { ProjectParameter } from '../http/parameters.js';
import { projectParameterOf } from '../http/path.js';
import { ShippingExceptionFilter } from '../http/problem-details.filter.js';
import { OrderEventsController } from '../order-events/order-events.controller.js';
import { ShippingMethodsController } from '../shipping-methods/shipping-methods.controller.js';
import { InvalidParameterError } from '../validation/violations.js';
import { type HttpSettings } from './http.options.js';

/** Returns the controllers of one mount. */
export function controllersFor(http: HttpSettings): Type[] {
  const projectId = projectParameterOf(http.path);
  const pathNames = new Map(Object.entries({ projectId, orderId: 'order_id' }));
  const byHandler: Record<string, MethodDecorator[] | undefined> = http.routeDecorators;
  // The last decorator is the outermost one.
  const decoratorsOf = (handler: string) => [
    ...http.decorators,
    ...(byHandler[handler] ?? []),
    errorsOfRoute(pathNames),
  ];
  const options = 'ShippingModule option "http.decorators" or "http.routeDecorators"';
  return [ShippingMethodsController, OrderEventsController].map((shared) => {
    const mounted = mountController(shared, http, decoratorsOf, options);
    // Nest's ClassSerializerInterceptor with `excludeAll` would empty our plain values.
    SerializeOptions({ strategy: 'exposeAll', groups: undefined, excludePrefixes: [], type: undefined })(
      mounted,
    );
    // Nest asks the filters of a handler first, so a filter among the decorators of the host wins.
    if (http.problemDetails) UseFilters(new ShippingExceptionFilter())(mounted);
    ProjectParameter(projectId)(mounted);
    return mounted;
  });
}

/**
 * Returns a decorator for the errors that the interceptors and filters of the host see. An invalid id gets its name in
 * the path.
 *
 * A decorator of the host may send the COMMIT, as `Transactional()` does. If the connection breaks then, the client
 * must learn that the outcome is unknown. Other errors of a decorator stay as they are: it may fail after our change is
 * committed, so we cannot say that nothing was changed (decision 14).
 * @param pathNames the names in the path, by the names of the parameters of the services, such as `projectId`
 */
function errorsOfRoute(pathNames: ReadonlyMap<string, string>): MethodDecorator {
  return (_prototype, name, descriptor: PropertyDescriptor) => {
    const handler = descriptor.value as (...parameters: unknown[]) => unknown;
    const outermost = async function (this: object, ...parameters: unknown[]): Promise<unknown> {
      try {
        return await handler.apply(this, parameters);
      } catch (error) {
        if (error instanceof InvalidParameterError) throw withPathNames(error, pathNames);
        const typed = typedOwnError(error);
        throw typed instanceof OutcomeUnknownError ? typed : error;
      }
    };
    descriptor.value = Object.defineProperty(outermost, 'name', { value: name });
  };
}

/** Gives the parameters of a service their names in the path. An error without them may be of a class of the host. */
function withPathNames(
  error: InvalidParameterError,
  pathNames: ReadonlyMap<string, string>,
): InvalidParameterError {
  const renamed = error.violations.map((violation) => {
    const { parameter: serviceName = '', detail } = violation;
    const parameter = pathNames.get(serviceName);
    if (violation.parameter === undefined || parameter === undefined) return violation;
    return { ...violation, parameter, detail: detail.replace(serviceName, parameter) };
  });
  const isSame = renamed.every((violation, index) => violation === error.violations[index]);
  return isSame ? error : new InvalidParameterError(renamed, error.truncated);
}
