import { type ControllerOptions, type ModuleMetadata, VERSION_NEUTRAL } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type OrderEventDto } from './order-events/dto/order-event.dto.js';
import { type EventSettings } from './order-events/event-settings.js';
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
   * How many bytes the cache of each process may take; by default `{ maxBytes: 33_554_432 }`. `false`: no cache. The cache
   * has the methods of projects, and the JSON of lists and trees. Before each answer, the database is asked whether the
   * cached value is current.
   */
  cache?: false | { maxBytes: number };
  /**
   * Returns the manager of the request's ambient transaction, for instance from nestjs-cls, or undefined if there is none.
   */
  entityManager?: () => EntityManager | undefined;
  /**
   * Runs for each change of a method by this mount before its COMMIT, on the manager of its transaction, for instance to write an
   * outbox or an audit trail. If it throws, the change is rolled back, and the caller gets the error. A call that has lost
   * a race is made again, and then `onChange` runs again. So send mails after the commit.
   */
  onChange?: (change: ShippingMethodChange, manager: EntityManager) => Promise<void>;
  /**
   * Runs for each new event of an order before its COMMIT, on the manager of its transaction, for instance to write an
   * outbox. A repeated `dedupeKey` is no new event. If it throws, nothing is stored, and the caller gets the error. Like
   * `onChange`, it may run again.
   */
  onEvent?: (event: OrderEventDto, manager: EntityManager) => Promise<void>;
}

/** How the six routes are mounted. */
export interface ShippingHttpOptions {
  /**
   * By default `api/projects/:project_id/sales/orders`. The project is the parameter `:project_id`, or else the only
   * parameter, whatever its name is.
   */
  path?: string;
  /** By default `VERSION_NEUTRAL`, so that the host's default version does not move the routes. */
  version?: ControllerOptions['version'];
  /**
   * Decorators of all six handlers, for instance `UseGuards(JwtGuard)`. A guard finds their metadata by
   * `context.getHandler()`, not by `context.getClass()`.
   */
  decorators?: ShippingDecorator[];
  /**
   * `false`: our refusals, which are Nest's `HttpException`s, go to the host's filters. By default a filter of the mounted
   * controllers sends them as problem details (RFC 9457).
   */
  problems?: boolean;
  /** Decorators of single handlers. Their metadata wins over the metadata of `decorators`. */
  routeDecorators?: Partial<Record<ShippingRoute, ShippingDecorator[]>>;
}

/** A decorator that can decorate a method. Most decorators of Nest have both types, so both are allowed here. */
export type ShippingDecorator = ClassDecorator | MethodDecorator;

export const shippingRoutes = ['create', 'list', 'tree', 'update', 'remove', 'events'] as const;
/** A route, by the name of its handler. */
export type ShippingRoute = (typeof shippingRoutes)[number];

/** Options that shape the module graph. They are static, also with `forRootAsync`. */
export interface ShippingModuleExtras {
  /** `true`: every module can inject the services without importing `ShippingModule`. By default `false`. */
  isGlobal?: boolean;
  /** The name of the TypeORM DataSource; by default the host's default one. */
  dataSource?: string;
  /** Modules that give the guards in `http.decorators` their dependencies. */
  imports?: NonNullable<ModuleMetadata['imports']>;
  /** How the routes are mounted. `false`: there are no routes, only the services. */
  http?: false | ShippingHttpOptions;
}

/** The default path of the routes. */
export const defaultPath = 'api/projects/:project_id/sales/orders';

/** Nest separates these options from the other options of `forRoot()`. */
export const staticDefaults = { isGlobal: false, dataSource: undefined, imports: [], http: {} };

/** Checks the options and fills in the defaults. @throws Error that names the option and what it may be */
export function settingsOf(options: ShippingModuleOptions): MethodSettings & EventSettings {
  if (typeof options !== 'object' || options === null) {
    const returned = options === null || options === undefined ? String(options) : `a ${typeof options}`;
    throw new Error(
      `The options factory of ShippingModule.forRootAsync() returned ${returned}. It must return an object. {} means ` +
        `all defaults.`,
    );
  }
  const {
    defaultsProjectId = 'default',
    maxPageSize = 100,
    maxMethods = 1000,
    cache = { maxBytes: 32 * 1024 * 1024 },
    entityManager,
    onChange,
    onEvent,
    ...others
  } = options;
  const names = [
    'defaultsProjectId',
    'maxPageSize',
    'maxMethods',
    'cache',
    'entityManager',
    'onChange',
    'onEvent',
    ...Object.keys(staticDefaults),
  ];
  const [unknown] = Object.keys(others);
  if (unknown !== undefined && Object.hasOwn(staticDefaults, unknown))
    throw optionError(unknown, 'is static. Write it beside useFactory. The factory must not return it');
  if (unknown !== undefined) throw optionError(unknown, `is unknown. The options are ${names.join(', ')}`);
  const isId = typeof defaultsProjectId === 'string' && identifierPattern.test(defaultsProjectId);
  checkOption('defaultsProjectId', isId, `must be a project id: ${identifierPattern.source}`);
  checkOption('maxPageSize', isFromOneTo(100, maxPageSize), 'must be an integer from 1 to 100');
  checkOption('maxMethods', isFromOneTo(10_000, maxMethods), 'must be an integer from 1 to 10000');
  checkOption(
    'entityManager',
    isOptionalFunction(entityManager),
    'must be a function that returns an EntityManager or undefined',
  );
  checkOption(
    'onChange',
    isOptionalFunction(onChange),
    'must be a function that takes a change and an EntityManager',
  );
  checkOption(
    'onEvent',
    isOptionalFunction(onEvent),
    'must be a function that takes an event and an EntityManager',
  );
  const cacheBytes = cache === false ? 0 : cache?.maxBytes;
  const isSize = Number.isSafeInteger(cacheBytes) && cacheBytes >= 0;
  checkOption('cache', isSize, 'must be false or { maxBytes: a number of bytes }');
  return { defaultsProjectId, maxPageSize, maxMethods, cacheBytes, onChange, onEvent };
}

/**
 * Nest ignores an option that stands beside the factory, unless it is static.
 * @throws Error that names the option and the remedy
 */
export function checkAsyncOptions(options: object): void {
  const known = ['useFactory', 'useClass', 'useExisting', 'inject', 'provideInjectionTokensFrom'];
  const names = [...known, ...Object.keys(staticDefaults)];
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined)
    throw optionError(
      other,
      `does not belong in forRootAsync(), which takes only ${names.join(', ')}. If it is an option of ShippingModule, ` +
        'return it from the factory',
    );
}

/** @returns the options with their defaults @throws Error that names the option and what it may be */
export function checkStaticOptions(extras: ShippingModuleExtras) {
  const { isGlobal = false, dataSource, imports = [], http = {} } = extras;
  checkOption('isGlobal', typeof isGlobal === 'boolean', 'must be true or false');
  const isName = dataSource === undefined || typeof dataSource === 'string';
  checkOption('dataSource', isName, 'must be the name of a TypeORM DataSource');
  checkOption('imports', Array.isArray(imports), 'must be an array of modules');
  return { isGlobal, dataSource, imports, http: http !== false && checkHttpOptions(http) };
}

/** @returns the options with their defaults @throws Error that names the option and what it may be */
function checkHttpOptions(http: ShippingHttpOptions): Required<ShippingHttpOptions> {
  checkOption('http', typeof http === 'object' && http !== null, 'must be false or an object');
  const { path = defaultPath, version = VERSION_NEUTRAL, ...rest } = http;
  const { decorators = [], routeDecorators = {}, problems = true, ...others } = rest;
  const names = 'path, version, decorators, problems and routeDecorators';
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw optionError(`http.${unknown}`, `is unknown. http takes ${names}`);
  projectParameterOf(path);
  checkOption('http.problems', typeof problems === 'boolean', 'must be true or false');
  checkDecorators('http.decorators', decorators);
  // A decorator in place of the object would be ignored, because a function has no entries.
  const isMap = typeof routeDecorators === 'object' && routeDecorators !== null;
  checkOption('http.routeDecorators', isMap, 'must be an object such as { create: [UseGuards(JwtGuard)] }');
  for (const [route, each] of Object.entries(routeDecorators)) {
    const option = `http.routeDecorators.${route}`;
    const isRoute = shippingRoutes.some((known) => known === route);
    checkOption(option, isRoute, `must be one of ${shippingRoutes.join(', ')}`);
    checkDecorators(option, each);
  }
  return { path: withoutOuterSlashes(path), version, decorators, problems, routeDecorators };
}

export function withoutOuterSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

function isOptionalFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}

/**
 * @param option the name of the option, for the error
 * @returns the name of the path parameter that is the project: `project_id`, or else the only one
 * @throws Error when no parameter is the project
 */
export function projectParameterOf(
  path: unknown = defaultPath,
  option = 'ShippingModule option "http.path"',
): string {
  const segments = typeof path === 'string' ? path.split('/') : [];
  const names = segments.filter((segment) => /^:\w+$/.test(segment)).map((segment) => segment.slice(1));
  const reserved = names.find((name) => name === 'order_id' || name === 'method_id');
  if (reserved)
    throw new Error(`${option} must not have ":${reserved}": our own routes have that parameter.`);
  const [name] = names.length > 1 ? names.filter((each) => each === 'project_id') : names;
  if (name !== undefined) return name;
  throw new Error(
    `${option} must be a path with a parameter for the project, such as "tenants/:tenant/shipping". If it has several ` +
      'parameters, the project must be ":project_id".',
  );
}

function isFromOneTo(max: number, value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

function checkDecorators(option: string, decorators: unknown = []): void {
  // A class is a function, but not a decorator: JwtGuard must be UseGuards(JwtGuard).
  const isDecorator = (each: unknown): boolean =>
    typeof each === 'function' && !/^class\b/.test(String(each));
  const isList = Array.isArray(decorators) && decorators.every(isDecorator);
  if (!isList)
    throw optionError(option, 'must be an array of decorators, for instance [UseGuards(JwtGuard)]');
}

/** @throws Error that names the option and what it may be */
function checkOption(option: string, isAllowed: boolean, remedy: string): void {
  if (!isAllowed) throw optionError(option, remedy);
}

function optionError(option: string, remedy: string): Error {
  return new Error(`ShippingModule option "${option}" ${remedy}.`);
}
