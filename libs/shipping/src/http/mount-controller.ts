import { Controller, type ControllerOptions, type Type } from '@nestjs/common';
import * as metadata from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';

// Nest has no public API for the names of its metadata. `@nestjs/swagger` imports them from this file, too.

type Handler = (this: object, ...parameters: unknown[]) => unknown;

/**
 * Returns a subclass of a controller, with a path, a version and handlers of its own. So a decorator on one mount does
 * not touch another (decision 14).
 * @param decoratorsOf returns the decorators of the host for a handler
 * @param optionNames the names of the options with the decorators, for errors
 */
export function mountController(
  shared: Type,
  { path, version }: ControllerOptions,
  decoratorsOf: (handler: string) => readonly MethodDecorator[],
  optionNames: string,
): Type {
  const mounted = class extends shared {};
  Object.defineProperty(mounted, 'name', { value: shared.name });
  Controller({ path, version })(mounted);
  // Nest serves each method that has a path. None of these handlers may lack the host's guards.
  for (const name of new MetadataScanner().getAllMethodNames(shared.prototype))
    if (Reflect.hasMetadata(metadata.PATH_METADATA, shared.prototype[name]))
      mountHandler(mounted.prototype, name, decoratorsOf(name), optionNames);
  return mounted;
}

/**
 * Gives the mounted class a handler, and decorates it in the order of the list, as `applyDecorators()` does. A
 * decorator may wrap the handler in another function. Nest reads the route and the guards from the metadata of the
 * outermost function, so each function gets the metadata of the function that it wraps.
 */
function mountHandler(
  prototype: Record<string, Handler>,
  name: string,
  decorators: readonly MethodDecorator[],
  optionNames: string,
): void {
  const shared = prototype[name] as Handler;
  const mounted: Handler = function (...parameters) {
    return shared.apply(this, parameters);
  };
  // Logs and traces show the name of the function.
  Object.defineProperty(mounted, 'name', { value: name });
  inheritMetadata(mounted, shared);
  let descriptor: TypedPropertyDescriptor<Handler> = { value: mounted, writable: true, configurable: true };
  // The next decorator may look for the handler on the class.
  Object.defineProperty(prototype, name, descriptor);
  for (const decorate of decorators) {
    const wrapped = prototype[name] as Handler;
    descriptor = decorate(prototype, name, descriptor) ?? descriptor;
    // A class decorator that is called like this writes its metadata to the prototype.
    if (typeof descriptor.value !== 'function' || Reflect.getOwnMetadataKeys(prototype).length > 0)
      throw new Error(
        `${optionNames} has a decorator that works only on classes, or that replaces the handler "${name}" with something ` +
          'that is not a function. Use decorators for methods.',
      );
    inheritMetadata(descriptor.value, wrapped);
    Object.defineProperty(prototype, name, descriptor);
  }
}

/** Nest's decorators append to these lists, and overwrite all other metadata. */
const lists = new Set<unknown>([
  metadata.GUARDS_METADATA,
  metadata.INTERCEPTORS_METADATA,
  metadata.PIPES_METADATA,
  metadata.EXCEPTION_FILTERS_METADATA,
  metadata.HEADERS_METADATA,
]);

/** Gives a wrapper the metadata that it does not have, and adds to its lists. */
function inheritMetadata(wrapper: Handler, wrapped: Handler): void {
  for (const key of Reflect.getMetadataKeys(wrapped)) {
    const inner: unknown = Reflect.getMetadata(key, wrapped);
    if (!Reflect.hasMetadata(key, wrapper)) Reflect.defineMetadata(key, inner, wrapper);
    else if (lists.has(key))
      Reflect.defineMetadata(key, [...new Set([inner, Reflect.getMetadata(key, wrapper)].flat())], wrapper);
  }
}
