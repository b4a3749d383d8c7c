import {
  Controller,
  type INestApplicationContext,
  type OnModuleInit,
  SerializeOptions,
  type Type,
  UseFilters,
} from '@nestjs/common';
import { type ModulesContainer } from '@nestjs/core';
import { ShippingExceptionFilter } from './http/problem-details.filter.js';
import { refuseTwoCopiesOfNest } from './one-nest.js';
import { OrderEventsController } from './order-events/order-events.controller.js';
import { type OrderEvents } from './order-events/order-events.service.js';
import { ShippingMethodsController } from './shipping-methods/shipping-methods.controller.js';
import { type ShippingMethods } from './shipping-methods/shipping-methods.service.js';
import { checkOption, type ShippingHttpOptions, shippingRoutes } from './shipping.options.js';

/** The services of one mount. */
export interface ShippingServices {
  methods: ShippingMethods;
  events: OrderEvents;
}

/** What one `forRoot()` has mounted; each application compares all of them at boot. */
export class ShippingMount implements OnModuleInit {
  /** @param modules undefined when the application has another copy of `@nestjs/core` than we */
  constructor(
    private readonly modules: ModulesContainer | undefined,
    readonly dataSource: string,
    private readonly http: false | Required<ShippingHttpOptions>,
    readonly services: ShippingServices,
  ) {
    refuseTwoCopiesOfNest(modules !== undefined);
  }

  /** @throws Error that names the remedy when two mounts of the application can only be a mistake */
  onModuleInit(): void {
    for (const { providers } of this.modules?.values() ?? []) {
      const other: unknown = providers.get(ShippingMount)?.instance;
      if (!(other instanceof ShippingMount) || other === this || !this.collidesWith(other)) continue;
      const place =
        this.http && other.http ? `at "${this.http.path}"` : `on the DataSource "${this.dataSource}"`;
      throw new Error(
        `ShippingModule is mounted twice ${place}. Import ShippingModule.forRoot() once, with isGlobal: true so that ` +
          `every module can inject its services, or give the second mount an http.path of its own.`,
      );
    }
  }

  /** Services without routes add nothing to a mount on their DataSource; routes that are taken answer nobody. */
  private collidesWith({ dataSource, http }: ShippingMount): boolean {
    if (!this.http || !http) return this.dataSource === dataSource;
    const theirs = new Set([http.version].flat());
    return this.http.path === http.path && [this.http.version].flat().some((ours) => theirs.has(ours));
  }
}

/**
 * The services of a mount, for scripts. With several mounts, `app.get(ShippingMethods)` gives those of the last one.
 * @param dataSource the name of the mount's DataSource; needed when there are mounts on several
 * @throws Error when no mount is meant, or more than one could be
 */
export function shippingServices(app: INestApplicationContext, dataSource?: string): ShippingServices {
  const mounts = app.get(ShippingMount, { strict: false, each: true });
  const meant = mounts.filter((mount) => dataSource === undefined || mount.dataSource === dataSource);
  const names = [...new Set(meant.map((mount) => mount.dataSource))];
  const [mount] = meant;
  if (mount && names.length === 1) return mount.services;
  const known = [...new Set(mounts.map((each) => `"${each.dataSource}"`))].join(', ');
  throw new Error(
    `shippingServices() found ${names.length === 0 ? 'no mount' : 'several mounts'} of ShippingModule` +
      `${dataSource === undefined ? '' : ` on a DataSource "${dataSource}"`}. There are mounts on the DataSources ${known}: ` +
      'name one, shippingServices(app, name).',
  );
}

/**
 * The controllers of one mount: subclasses made for it, so that two mounts, and the host's decorators, never
 * touch each other or the shared classes.
 */
export function controllersFor(http: Required<ShippingHttpOptions>): Type[] {
  return [ShippingMethodsController, OrderEventsController].map((shared: Type) => {
    const mounted = class extends shared {};
    Object.defineProperty(mounted, 'name', { value: shared.name });
    // Nest's ClassSerializerInterceptor with `excludeAll` would empty our plain values.
    SerializeOptions({ strategy: 'exposeAll', groups: undefined, excludePrefixes: [], type: undefined })(
      mounted,
    );
    // Before the host's decorators: of two filters Nest asks the later one first, so that one given for this mount wins.
    if (http.problems) UseFilters(new ShippingExceptionFilter())(mounted);
    const before = new Set<unknown>(Reflect.getMetadataKeys(mounted));
    const decorated = http.decorators.reduceRight<Type>((type, decorate) => decorate(type) ?? type, mounted);
    const isSubclass = decorated.prototype instanceof shared;
    checkOption('http.decorators', isSubclass, `made a class that does not extend ${shared.name}`);
    const added = Reflect.getMetadataKeys(decorated).filter((key) => !before.has(key) && !isAdded(key));
    for (const [route, decorators] of routesOf(shared, http))
      decorateRoute(decorated, route, [...decorators, ...added.map((key) => metadataOf(decorated, key))]);
    Controller({ path: http.path, version: http.version })(decorated);
    return decorated;
  });
}

/** The routes of a controller, each with the decorators that it was given. */
function routesOf(shared: Type, { routeDecorators }: Required<ShippingHttpOptions>) {
  const routes = shippingRoutes.filter((route) => route in shared.prototype);
  return routes.map((route) => [route, routeDecorators[route] ?? []] as const);
}

/** Nest and `@nestjs/swagger` add these of the class to those of the handler: there, they would count twice. */
function isAdded(key: unknown): boolean {
  return /^(__(guards|interceptors|pipes|exceptionFilters)__$|swagger\/)/.test(String(key));
}

/** Gives a handler metadata of its class, for guards that look at the handler only. That of the handler itself wins. */
function metadataOf(decorated: Type, key: unknown): MethodDecorator {
  return (_target, _route, { value: handler }) => {
    if (!Reflect.hasMetadata(key, handler as object))
      Reflect.defineMetadata(key, Reflect.getMetadata(key, decorated), handler as object);
  };
}

type Handler = (...parameters: unknown[]) => unknown;

/**
 * Decorates a method of this mount's own as TypeScript does, the last decorator first. A decorator may put another
 * function in its place. Nest reads the route and the guards from the last one, so each gets the metadata of the one
 * before it.
 */
function decorateRoute(mounted: Type, route: string, decorators: readonly MethodDecorator[]): void {
  const { prototype } = mounted;
  const shared = prototype[route] as Handler;
  let handler: Handler = function (this: unknown, ...parameters) {
    return shared.apply(this, parameters);
  };
  copyMetadata(shared, handler);
  let descriptor: TypedPropertyDescriptor<Handler> = { value: handler, writable: true, configurable: true };
  Object.defineProperty(prototype, route, descriptor);
  for (const decorate of decorators.toReversed()) {
    descriptor = decorate(prototype, route, descriptor) ?? descriptor;
    if (typeof descriptor.value !== 'function')
      throw new Error(
        `Each decorator in ShippingModule option "http.routeDecorators.${route}" must leave a function.`,
      );
    copyMetadata(handler, descriptor.value);
    handler = descriptor.value;
  }
  Object.defineProperty(prototype, route, descriptor);
}

function copyMetadata(from: Handler, to: Handler): void {
  for (const key of Reflect.getMetadataKeys(from)) {
    if (!Reflect.hasMetadata(key, to)) Reflect.defineMetadata(key, Reflect.getMetadata(key, from), to);
  }
}
