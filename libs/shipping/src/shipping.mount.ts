import { Controller, SerializeOptions, type Type, UseFilters } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  INTERCEPTORS_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
} from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { projectParameters } from './http/parameters.js';
import { ShippingExceptionFilter } from './http/problem-details.filter.js';
import { refuseTwoCopiesOfNest } from './one-nest.js';
import { OrderEventsController } from './order-events/order-events.controller.js';
import { ShippingMethodsController } from './shipping-methods/shipping-methods.controller.js';
import { projectParameterOf, type ShippingHttpOptions, type ShippingRoute } from './shipping.options.js';

/** The mounts of each application. */
const mountsOf = new WeakMap<ModulesContainer, ShippingMount[]>();

/** One call of `forRoot()`. */
export class ShippingMount {
  /**
   * The constructor compares this mount with the other mounts of the application. `onModuleInit()` would be too late:
   * Fastify refuses two equal routes before Nest calls it, with a message that names no remedy.
   * @param modules undefined when the application has another copy of `@nestjs/core` than this library
   * @throws Error that names the remedy when two mounts collide
   */
  constructor(
    modules: ModulesContainer | undefined,
    private readonly dataSource: string,
    private readonly http: false | Required<ShippingHttpOptions>,
  ) {
    refuseTwoCopiesOfNest(modules !== undefined);
    const mounts = (modules && mountsOf.get(modules)) ?? [];
    const other = mounts.find((mount) => this.collidesWith(mount));
    if (other) {
      const where = http && other.http ? `at "${http.path}"` : `on the DataSource "${dataSource}"`;
      throw new Error(
        `ShippingModule is mounted twice ${where}. Import ShippingModule.forRoot() once, with isGlobal: true so that ` +
          `every module can inject its services, or give the second mount an http.path of its own.`,
      );
    }
    if (modules) mountsOf.set(modules, [...mounts, this]);
  }

  /**
   * Two mounts with routes collide if they have the same path and a version in common. If one of them has no routes, they
   * collide if they use the same DataSource.
   */
  private collidesWith({ dataSource, http }: ShippingMount): boolean {
    if (!this.http || !http) return this.dataSource === dataSource;
    const theirVersions = new Set([http.version].flat());
    const shapeOf = (path: string): string => path.replace(/:\w+/g, ':');
    return (
      shapeOf(this.http.path) === shapeOf(http.path) &&
      [this.http.version].flat().some((version) => theirVersions.has(version))
    );
  }
}

/**
 * Returns the controllers of one mount. Each is a subclass with handlers of its own, so a decorator on one mount does not
 * touch another.
 */
export function controllersFor(http: Required<ShippingHttpOptions>): Type[] {
  return [ShippingMethodsController, OrderEventsController].map((shared: Type) => {
    const mounted = class extends shared {};
    Object.defineProperty(mounted, 'name', { value: shared.name });
    Controller({ path: http.path, version: http.version })(mounted);
    // Nest's ClassSerializerInterceptor with `excludeAll` would empty our plain values.
    SerializeOptions({ strategy: 'exposeAll', groups: undefined, excludePrefixes: [], type: undefined })(
      mounted,
    );
    const parameter = projectParameterOf(http.path);
    // Nest asks the filters of a handler first, so a filter among the decorators of the host wins.
    if (http.problems) UseFilters(new ShippingExceptionFilter(parameter))(mounted);
    projectParameters.set(mounted, parameter);
    // Nest serves each method that has a path, so none of them may lack the host's guards.
    for (const name of new MetadataScanner().getAllMethodNames(shared.prototype)) {
      if (!Reflect.hasMetadata(PATH_METADATA, shared.prototype[name])) continue;
      const decorators = [...(http.routeDecorators[name as ShippingRoute] ?? []), ...http.decorators];
      mountHandler(mounted.prototype, name, decorators as MethodDecorator[]);
    }
    return mounted;
  });
}

type Handler = (this: object, ...parameters: unknown[]) => unknown;

/**
 * Gives the mounted class a handler, and decorates it in TypeScript's order: the last decorator comes first. A decorator may
 * wrap the handler in another function. Nest reads the route and the guards from the metadata of the outermost function, so
 * each function gets the metadata of the function that it wraps.
 */
function mountHandler(
  prototype: Record<string, Handler>,
  name: string,
  decorators: readonly MethodDecorator[],
): void {
  const shared = prototype[name] as Handler;
  const mounted: Handler = function (...parameters) {
    return shared.apply(this, parameters);
  };
  // Logs and traces show the name of the function.
  Object.defineProperty(mounted, 'name', { value: name });
  let handler = withMetadataOf(shared, mounted);
  let descriptor: TypedPropertyDescriptor<Handler> = { value: handler, writable: true, configurable: true };
  Object.defineProperty(prototype, name, descriptor);
  for (const decorate of decorators.toReversed()) {
    descriptor = decorate(prototype, name, descriptor) ?? descriptor;
    // A class decorator that is called like this writes its metadata to the prototype.
    if (typeof descriptor.value !== 'function' || Reflect.getOwnMetadataKeys(prototype).length > 0)
      throw new Error(
        `ShippingModule applies "http.decorators" and "http.routeDecorators" to the handler "${name}". One of these ` +
          'decorators works only on classes, or replaces the handler with something that is not a function. Use ' +
          'decorators for methods.',
      );
    handler = withMetadataOf(handler, descriptor.value);
    // The next decorator may look for the handler on the class.
    Object.defineProperty(prototype, name, descriptor);
  }
}

/** Nest's decorators add to these lists. They replace all other metadata. */
const lists = new Set<unknown>([
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  EXCEPTION_FILTERS_METADATA,
  HEADERS_METADATA,
]);

/** Copies metadata that the wrapper does not have, and adds to its lists. @returns the wrapper */
function withMetadataOf(wrapped: Handler, wrapper: Handler): Handler {
  for (const key of Reflect.getMetadataKeys(wrapped)) {
    const [inner, outer] = [wrapped, wrapper].map((each) => Reflect.getMetadata(key, each) as unknown);
    if (lists.has(key)) Reflect.defineMetadata(key, [...new Set([inner, outer ?? []].flat())], wrapper);
    else if (!Reflect.hasMetadata(key, wrapper)) Reflect.defineMetadata(key, inner, wrapper);
  }
  return wrapper;
}
