import { type ControllerOptions, type ModuleMetadata, VERSION_NEUTRAL } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { identifierPattern } from './validation/identifiers.js';

/** Options that may come from a factory (`forRootAsync`). */
export interface ShippingModuleOptions {
  /** The project whose methods are the defaults of `use_default`; by default `default`. */
  defaultsProjectId?: string;
  /** The largest `per_page` of a list, 1 to 100; by default 100. */
  maxPageSize?: number;
  /** How many methods a project may hold, 1 to 100,000; by default 10,000. */
  maxMethods?: number;
  /**
   * How many bytes of answers of list, tree and `findActive` each process may keep to send again, after a look
   * at the database has told that nothing changed; by default `{ maxBytes: 33_554_432 }`. `false`: none.
   */
  cache?: false | { maxBytes: number };
  /** The ambient transaction of the current request, for nestjs-cls and the like; undefined: there is none. */
  entityManager?: () => EntityManager | undefined;
}

/** How the six routes are mounted. */
export interface ShippingHttpOptions {
  /** By default `api/projects/:project_id/sales/orders`; it must have `:project_id`. */
  path?: string;
  /** By default `VERSION_NEUTRAL`, so that the host's default version does not move the routes. */
  version?: ControllerOptions['version'];
  /** For both controllers of this mount, for instance `UseGuards(JwtGuard)`. */
  decorators?: ClassDecorator[];
  /** For single routes. */
  routeDecorators?: Partial<Record<ShippingRoute, MethodDecorator[]>>;
}

const shippingRoutes = ['create', 'list', 'tree', 'update', 'remove', 'events'] as const;
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

export const defaultPath = 'api/projects/:project_id/sales/orders';
export const defaultVersion: NonNullable<ControllerOptions['version']> = VERSION_NEUTRAL;

/** The options with their defaults, as the services take them. */
export abstract class ShippingSettings {
  abstract readonly defaultsProjectId: string;
  abstract readonly maxPageSize: number;
  abstract readonly maxMethods: number;
  /** 0: nothing is kept. */
  abstract readonly cacheBytes: number;
  abstract readonly entityManager: ShippingModuleOptions['entityManager'];
}

const staticOptions = ['isGlobal', 'dataSource', 'imports', 'http'] satisfies (keyof ShippingModuleExtras)[];

/** @throws Error that names the option and what it may be */
export function settingsOf(options: ShippingModuleOptions): ShippingSettings {
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
    maxMethods = 10_000,
    cache = { maxBytes: 32 * 1024 * 1024 },
    entityManager,
    ...others
  } = options;
  const [unknown] = Object.keys(others);
  if (staticOptions.some((option) => option === unknown))
    throw wrong(String(unknown), 'is static: put it beside useFactory, not into what the factory returns');
  if (unknown !== undefined)
    throw wrong(
      unknown,
      'is unknown. The options are defaultsProjectId, maxPageSize, maxMethods, cache, entityManager, isGlobal, dataSource, imports and http',
    );
  if (typeof defaultsProjectId !== 'string' || !identifierPattern.test(defaultsProjectId))
    throw wrong('defaultsProjectId', `must be a project id: ${identifierPattern.source}`);
  checkInteger('maxPageSize', maxPageSize, 100);
  checkInteger('maxMethods', maxMethods, 100_000);
  if (entityManager !== undefined && typeof entityManager !== 'function')
    throw wrong('entityManager', 'must be a function that returns an EntityManager or undefined');
  const cacheBytes = cache === false ? 0 : cache?.maxBytes;
  if (!Number.isSafeInteger(cacheBytes) || cacheBytes < 0)
    throw wrong('cache', 'must be false or { maxBytes: a number of bytes }');
  return { defaultsProjectId, maxPageSize, maxMethods, cacheBytes, entityManager };
}

/** @throws Error that names the option and what it may be */
export function checkStaticOptions({ dataSource, imports, http }: ShippingModuleExtras): void {
  if (dataSource !== undefined && typeof dataSource !== 'string')
    throw wrong('dataSource', 'must be the name of a TypeORM DataSource');
  if (imports !== undefined && !Array.isArray(imports)) throw wrong('imports', 'must be an array of modules');
  if (http !== undefined && http !== false) checkHttpOptions(http);
}

/** @throws Error that names the option and what it may be */
export function checkHttpOptions(http: ShippingHttpOptions): void {
  if (typeof http !== 'object' || http === null) throw wrong('http', 'must be false or an object');
  const { path, version: _version, decorators, routeDecorators = {}, ...others } = http;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw wrong(`http.${unknown}`, 'is unknown. http takes path, version, decorators and routeDecorators');
  if (path !== undefined && (typeof path !== 'string' || !/(^|\/):project_id(\/|$)/.test(path)))
    throw wrong('http.path', 'must be a string with the segment ":project_id"');
  checkDecorators('http.decorators', decorators);
  for (const [route, each] of Object.entries(routeDecorators)) {
    if (!shippingRoutes.some((known) => known === route))
      throw wrong(`http.routeDecorators.${route}`, `must be one of ${shippingRoutes.join(', ')}`);
    checkDecorators(`http.routeDecorators.${route}`, each);
  }
}

function checkInteger(option: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw wrong(option, `must be an integer from 1 to ${max}`);
}

function checkDecorators(option: string, decorators: unknown): void {
  const isList = Array.isArray(decorators) && decorators.every((each) => typeof each === 'function');
  if (decorators !== undefined && !isList)
    throw wrong(option, 'must be an array of decorators, for instance [UseGuards(JwtGuard)]');
}

function wrong(option: string, remedy: string): Error {
  return new Error(`ShippingModule option "${option}" ${remedy}.`);
}
