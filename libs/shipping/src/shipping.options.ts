import { type ControllerOptions, type ModuleMetadata, VERSION_NEUTRAL } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type ShippingMethodChange } from './shipping-methods/dto/shipping-method.dto.js';
import { type MethodSettings } from './shipping-methods/method-settings.js';
import { identifierPattern } from './validation/identifiers.js';

/** Options that may come from a factory (`forRootAsync`). */
export interface ShippingModuleOptions {
  /** The project whose methods are the defaults of `use_default`; by default `default`. */
  defaultsProjectId?: string;
  /** The largest `per_page` of a list, 1 to 100; by default 100. */
  maxPageSize?: number;
  /** How many methods a project may hold, 1 to 10,000; by default 1,000. */
  maxMethods?: number;
  /**
   * The size of the cache for lists, trees and `findActive` in each process, in bytes; by default
   * `{ maxBytes: 33_554_432 }`. `false`: no cache. What it holds is sent only after a look at the database.
   */
  cache?: false | { maxBytes: number };
  /** The ambient transaction of the current request, for nestjs-cls and the like; undefined: there is none. */
  entityManager?: () => EntityManager | undefined;
  /**
   * Runs for each change of a method before its COMMIT, on the manager of its transaction, for instance to write an
   * outbox or an audit trail. If it throws, the change is rolled back, and the caller gets the error.
   */
  onChange?: (change: ShippingMethodChange, manager: EntityManager) => Promise<void>;
}

/** How the six routes are mounted. */
export interface ShippingHttpOptions {
  /** By default `api/projects/:project_id/sales/orders`; it must have `:project_id`. */
  path?: string;
  /** By default `VERSION_NEUTRAL`, so that the host's default version does not move the routes. */
  version?: ControllerOptions['version'];
  /**
   * For all six routes, for instance `UseGuards(JwtGuard)`. What they set as metadata is found on the controllers and on
   * each handler.
   */
  decorators?: ClassDecorator[];
  /**
   * `false`: our refusals, which are Nest's `HttpException`s, go to the host's filters. By default a filter of the mounted
   * controllers sends them as problem details (RFC 9457).
   */
  problems?: boolean;
  /** For single routes. */
  routeDecorators?: Partial<Record<ShippingRoute, MethodDecorator[]>>;
}

export const shippingRoutes = ['create', 'list', 'tree', 'update', 'remove', 'events'] as const;
/** A route, by the name of its handler. */
export type ShippingRoute = (typeof shippingRoutes)[number];

/** Options that shape the module graph: static, in `forRootAsync` too. */
export interface ShippingModuleExtras {
  /** The services can be injected everywhere without importing the module again. */
  isGlobal?: boolean;
  /** The name of the TypeORM DataSource; by default the host's default one. */
  dataSource?: string;
  /** Modules that give the guards in `http.decorators` their dependencies. */
  imports?: NonNullable<ModuleMetadata['imports']>;
  /** `false`: the services only, no route. */
  http?: false | ShippingHttpOptions;
}

/** Where the routes are by default. */
export const defaultPath = 'api/projects/:project_id/sales/orders';

/** Nest takes the options of these names out of those of `forRoot()`. */
export const staticDefaults = { isGlobal: false, dataSource: undefined, imports: [], http: {} };

/** @throws Error that names the option and what it may be */
export function settingsOf(options: ShippingModuleOptions): MethodSettings {
  if (typeof options !== 'object' || options === null) {
    const returned = options === null || options === undefined ? String(options) : `a ${typeof options}`;
    throw new Error(
      `The options factory of ShippingModule.forRootAsync() returned ${returned}. It must return an object; {} takes ` +
        `the defaults.`,
    );
  }
  const {
    defaultsProjectId = 'default',
    maxPageSize = 100,
    maxMethods = 1000,
    cache = { maxBytes: 32 * 1024 * 1024 },
    entityManager,
    onChange,
    ...others
  } = options;
  const names = [
    'defaultsProjectId, maxPageSize, maxMethods, cache, entityManager, onChange',
    ...Object.keys(staticDefaults),
  ];
  for (const name of Object.keys(others)) {
    const isStatic = Object.hasOwn(staticDefaults, name);
    checkOption(name, !isStatic, 'is static: put it beside useFactory, not into what the factory returns');
    checkOption(name, false, `is unknown. The options are ${names.join(', ')}`);
  }
  const isId = typeof defaultsProjectId === 'string' && identifierPattern.test(defaultsProjectId);
  checkOption('defaultsProjectId', isId, `must be a project id: ${identifierPattern.source}`);
  checkOption('maxPageSize', isFromOneTo(100, maxPageSize), 'must be an integer from 1 to 100');
  checkOption('maxMethods', isFromOneTo(10_000, maxMethods), 'must be an integer from 1 to 10000');
  checkOption(
    'entityManager',
    isFunction(entityManager),
    'must be a function that returns an EntityManager or undefined',
  );
  checkOption('onChange', isFunction(onChange), 'must be a function of a change and an EntityManager');
  const cacheBytes = cache === false ? 0 : cache?.maxBytes;
  const isSize = Number.isSafeInteger(cacheBytes) && cacheBytes >= 0;
  checkOption('cache', isSize, 'must be false or { maxBytes: a number of bytes }');
  return { defaultsProjectId, maxPageSize, maxMethods, cacheBytes, onChange };
}

/** @returns the options with their defaults @throws Error that names the option and what it may be */
export function checkStaticOptions(extras: ShippingModuleExtras) {
  const { isGlobal = false, dataSource, imports = [], http = {} } = extras;
  const isName = dataSource === undefined || typeof dataSource === 'string';
  checkOption('dataSource', isName, 'must be the name of a TypeORM DataSource');
  checkOption('imports', Array.isArray(imports), 'must be an array of modules');
  return { isGlobal, dataSource, imports, http: http !== false && checkHttpOptions(http) };
}

/** @returns the options with their defaults @throws Error that names the option and what it may be */
export function checkHttpOptions(http: ShippingHttpOptions): Required<ShippingHttpOptions> {
  checkOption('http', typeof http === 'object' && http !== null, 'must be false or an object');
  const { path = defaultPath, version = VERSION_NEUTRAL, ...mounted } = http;
  const { decorators = [], routeDecorators = {}, problems = true, ...others } = mounted;
  const names = 'path, version, decorators, problems and routeDecorators';
  for (const name of Object.keys(others))
    checkOption(`http.${name}`, false, `is unknown. http takes ${names}`);
  checkPath('ShippingModule option "http.path"', path);
  checkOption('http.problems', typeof problems === 'boolean', 'must be true or false');
  checkDecorators('http.decorators', decorators);
  for (const [route, each] of Object.entries(routeDecorators)) {
    const option = `http.routeDecorators.${route}`;
    const isRoute = shippingRoutes.some((known) => known === route);
    checkOption(option, isRoute, `must be one of ${shippingRoutes.join(', ')}`);
    checkDecorators(option, each);
  }
  return { path: path.replace(/^\/+|\/+$/g, ''), version, decorators, problems, routeDecorators };
}

function isFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

/** @throws Error that begins with the name of the option */
export function checkPath(option: string, path: unknown = defaultPath): void {
  const isPath = typeof path === 'string' && /(^|\/):project_id(\/|$)/.test(path);
  if (!isPath) throw new Error(`${option} must be a string with the segment ":project_id".`);
}

function isFromOneTo(max: number, value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

function checkDecorators(option: string, decorators: unknown = []): void {
  const isList = Array.isArray(decorators) && decorators.every((each) => typeof each === 'function');
  checkOption(option, isList, 'must be an array of decorators, for instance [UseGuards(JwtGuard)]');
  const isClass = (each: unknown): boolean => /^class\b/.test(String(each));
  const found = (decorators as { name?: string }[]).find(isClass);
  checkOption(
    option,
    !found,
    `has the class ${found?.name}, not a decorator: write UseGuards(${found?.name}) for a guard`,
  );
}

/** @throws Error that names the option and what it may be */
export function checkOption(option: string, isAllowed: boolean, remedy: string): void {
  if (!isAllowed) throw new Error(`ShippingModule option "${option}" ${remedy}.`);
}
