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
    const decorated = decorators.reduceRight<Type>((type, decorate) => decorate(type) ?? type, mounted);
    if (!(decorated.prototype instanceof shared))
      throw new Error(
        `ShippingModule option "http.decorators" made a class that does not extend ${shared.name}.`,
      );
    Controller({ path, version })(decorated);
    return decorated;
  });
}

function subclassOf(shared: Type): Type {
  const mounted = class extends shared {};
  Object.defineProperty(mounted, 'name', { value: shared.name });
  return mounted;
}

type Handler = (...parameters: unknown[]) => unknown;

/**
 * As TypeScript decorates a method, the last one first, on a function of this mount's own. A decorator may put another
 * function in its place. Nest reads the route, and the guards, from the one that is there in the end, so each gets
 * the metadata of the one before it.
 */
function decorateRoute(mounted: Type, route: string, decorators: readonly MethodDecorator[]): void {
  const shared = mounted.prototype[route] as Handler;
  const own: Handler = function (this: unknown, ...parameters) {
    return shared.apply(this, parameters);
  };
  copyMetadata(shared, own);
  let descriptor: TypedPropertyDescriptor<Handler> = { value: own, writable: true, configurable: true };
  Object.defineProperty(mounted.prototype, route, descriptor);
  for (const decorate of decorators.toReversed()) {
    const { value: before = own } = descriptor;
    descriptor = decorate(mounted.prototype, route, descriptor) ?? descriptor;
    if (typeof descriptor.value !== 'function')
      throw new Error(
        `Each decorator in ShippingModule option "http.routeDecorators.${route}" must leave a function.`,
      );
    copyMetadata(before, descriptor.value);
  }
  Object.defineProperty(mounted.prototype, route, descriptor);
}

function copyMetadata(from: Handler, to: Handler): void {
  for (const key of Reflect.getMetadataKeys(from)) {
    if (!Reflect.hasMetadata(key, to)) Reflect.defineMetadata(key, Reflect.getMetadata(key, from), to);
  }
}
