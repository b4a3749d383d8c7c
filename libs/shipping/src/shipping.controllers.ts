import { Controller, SerializeOptions, type Type, UseFilters } from '@nestjs/common';
import { ShippingExceptionFilter } from './http/shipping-exception.filter.js';
import { OrderEventsController } from './order-events/order-events.controller.js';
import { ShippingMethodsController } from './shipping-methods/shipping-methods.controller.js';
import { defaultPath, defaultVersion, type ShippingHttpOptions } from './shipping.options.js';

/**
 * The controllers of one mount: subclasses made for it, so that two mounts, and the host's decorators, never
 * touch each other or the shared classes.
 */
export function controllersFor(http: ShippingHttpOptions): Type[] {
  const { path = defaultPath, version = defaultVersion, decorators = [], routeDecorators = {} } = http;
  return [ShippingMethodsController, OrderEventsController].map((shared) => {
    const mounted = subclassOf(shared);
    for (const [route, decorate] of Object.entries(routeDecorators)) {
      if (route in shared.prototype) decorateRoute(mounted, route, decorate);
    }
    // Whatever serialiser the host has set globally: our answers are plain data, all of it to be shown.
    SerializeOptions({ strategy: 'exposeAll', groups: undefined, type: undefined })(mounted);
    // Before the host's decorators: of two filters Nest asks the later one first, so that one given for this mount wins.
    UseFilters(new ShippingExceptionFilter())(mounted);
    for (const decorate of decorators.toReversed()) decorate(mounted);
    Controller({ path, version })(mounted);
    return mounted;
  });
}

function subclassOf(shared: Type): Type {
  const mounted = class extends shared {};
  Object.defineProperty(mounted, 'name', { value: shared.name });
  return mounted;
}

/** Decorators of a route put metadata on its function: the mount gets a function of its own. */
function decorateRoute(mounted: Type, route: string, decorators: readonly MethodDecorator[]): void {
  const shared = mounted.prototype[route] as (...parameters: unknown[]) => unknown;
  const own = function (this: unknown, ...parameters: unknown[]): unknown {
    return shared.apply(this, parameters);
  };
  for (const key of Reflect.getMetadataKeys(shared)) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, shared), own);
  }
  const descriptor = { value: own, writable: true, configurable: true, enumerable: false };
  Object.defineProperty(mounted.prototype, route, descriptor);
  for (const decorate of decorators.toReversed()) decorate(mounted.prototype, route, descriptor);
}
