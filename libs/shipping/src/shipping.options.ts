import {
  type ConfigurableModuleAsyncOptions,
  type ControllerOptions,
  type ModuleMetadata,
  type Type,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { Allow, IsArray, IsBoolean, IsInt, isObject, IsString, Max, Min } from 'class-validator';
import { type EntityManager } from 'typeorm';
import { type OrderEventDto } from './order-events/dto/order-event.dto.js';
import { type ShippingMethodChange } from './shipping-methods/dto/shipping-method.dto.js';
import { checked, Decorators, Must, OptionalFunction, Version } from './validation/check-options.js';
import { identifierPattern } from './validation/identifiers.js';

/**
 * Your code that runs before the COMMIT, on the manager of the transaction, for instance to write an outbox or an audit
 * trail. If it throws, everything is rolled back, and the caller gets the error. If a call loses a race, it is repeated,
 * and so is the hook. So send mails after the commit. A promise that a hook returns is awaited.
 * @example
 * const outbox: BeforeCommit = {
 *   change: (change, manager) => manager.insert(Outbox, { topic: `method.${change.type}`, payload: change }),
 * };
 */
export class BeforeCommit {
  /** Runs for each change of a method. */
  @OptionalFunction() change?:
    ((change: ShippingMethodChange, manager: EntityManager) => unknown) | undefined;

  /** Runs for each new event of an order. A repeated `dedupe_key` is not a new event. */
  @OptionalFunction() event?: ((event: OrderEventDto, manager: EntityManager) => unknown) | undefined;
}

// A type with the name …Options is what the host passes. A class with the name …Settings has the defaults filled in.

/** The options of a class with settings. An option that is undefined has its default. */
export type OptionsOf<Settings> = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** The options that may come from a factory (`forRootAsync`), after the defaults are filled in. */
export class ShippingSettings {
  /**
   * The id of the project whose methods are the defaults of `use_default`.
   * @default 'default'
   */
  @Must('be an id: a letter, a digit or _, and then at most 63 letters, digits and _ . : -', isIdentifier)
  defaultsProjectId = 'default';

  /**
   * The largest `per_page` of a list, 1 to 100.
   * @default 100
   */
  @IsInt() @Min(1) @Max(100) maxPageSize = 100;

  /**
   * How many methods a project may hold, 1 to 10,000.
   * @default 1000
   */
  @IsInt() @Min(1) @Max(10_000) maxMethods = 1000;

  /**
   * How many bytes the cache of each process may take. `false`: no cache. The cache has the methods of projects, and the
   * JSON of lists and trees. Before each response, the database is asked whether the cached value is current.
   * @default { maxBytes: 33_554_432 }
   */
  @Must('be false or { maxBytes: a number of bytes }', isCache)
  cache: false | { maxBytes: number } = { maxBytes: 32 * 1024 * 1024 };

  /**
   * Returns the manager of the ambient transaction, or undefined if there is none. A call without `{ manager }` then
   * becomes part of this transaction. nestjs-cls needs this option, and typeorm-transactional does not.
   * @example
   * ShippingModule.forRootAsync({
   *   inject: [TransactionHost],
   *   useFactory: (host: TransactionHost<TransactionalAdapterTypeOrm>) => ({
   *     entityManager: () => (host.isTransactionActive() ? host.tx : undefined),
   *   }),
   * })
   */
  @OptionalFunction() entityManager?: (() => EntityManager | undefined) | undefined;

  /**
   * Hooks that run for what this mount changes and records, in its transaction, before the COMMIT.
   * @default {}
   */
  @Must('be an object', isObject)
  beforeCommit: BeforeCommit = {};
}

class RouteDecorators {
  @Decorators() create: MethodDecorator[] = [];
  @Decorators() list: MethodDecorator[] = [];
  @Decorators() tree: MethodDecorator[] = [];
  @Decorators() update: MethodDecorator[] = [];
  @Decorators() remove: MethodDecorator[] = [];
  @Decorators() events: MethodDecorator[] = [];
}

/** A route, by the name of its handler. */
export type ShippingRoute = keyof RouteDecorators;

/** The default path of the routes. */
export const defaultPath = 'api/projects/:project_id/sales/orders';

export class HttpSettings {
  /**
   * The path of the routes, below your global prefix. The project is the parameter `:project_id`, or else the only
   * parameter, whatever its name is.
   * @default 'api/projects/:project_id/sales/orders'
   */
  @Allow() path = defaultPath;

  /**
   * The version of the routes, as in `@Controller({ version })`. With the default, your default version does not move
   * the routes.
   * @default VERSION_NEUTRAL
   */
  @Version() version: ControllerOptions['version'] = VERSION_NEUTRAL;

  /**
   * Decorators of all six handlers, for instance `UseGuards(JwtGuard)`. Guards and interceptors run in the order in
   * which they are written. A guard finds metadata by `context.getHandler()`, not by `context.getClass()`.
   * @default []
   */
  @Decorators() decorators: MethodDecorator[] = [];

  /**
   * `true`: a filter of the mounted controllers sends our errors as problem details (RFC 9457). `false`: our errors,
   * which are Nest's `HttpException`s, go to your filters.
   * @default true
   */
  @IsBoolean() problemDetails = true;

  /**
   * Decorators of single handlers: `create`, `list`, `tree`, `update`, `remove`, `events`. They come after those of
   * `decorators`, and their metadata wins.
   * @default {}
   */
  @Allow() routeDecorators: OptionsOf<RouteDecorators> = {};
}

/** How the six routes are mounted. */
export interface ShippingHttpOptions extends OptionsOf<HttpSettings> {}

export class StaticSettings {
  /**
   * `true`: every module can inject the services without importing `ShippingModule`.
   * @default false
   */
  @IsBoolean() isGlobal = false;

  /**
   * The name of the TypeORM DataSource, as in `@InjectDataSource(name)`. With the default, it is the DataSource without a
   * name.
   * @default 'default'
   */
  @IsString() dataSource = 'default';

  /**
   * Modules that give the guards in `http.decorators` their dependencies. If one is missing, Nest reports it at boot,
   * unless the dependency is `@Optional()`.
   * @default []
   */
  @IsArray() imports: NonNullable<ModuleMetadata['imports']> = [];

  /**
   * How the routes are mounted. `false`: there are no routes, only the services.
   * @default {}
   */
  @Must('be false or an object', (value) => value === false || isObject(value))
  http: false | ShippingHttpOptions = {};
}

/** Options that shape the module graph. They are static, also with `forRootAsync`. */
export interface StaticOptions extends OptionsOf<StaticSettings> {}

/** The options of `ShippingModule.forRoot()`. Each has a default. */
export interface ShippingModuleOptions extends StaticOptions, OptionsOf<ShippingSettings> {}

/**
 * The options that a factory of `ShippingModule.forRootAsync()` returns. `isGlobal`, `dataSource`, `imports` and `http`
 * are static: they stand beside the factory.
 */
export interface ShippingFactoryOptions
  extends OptionsOf<ShippingSettings>, OptionsOf<Record<keyof StaticSettings, never>> {}

/**
 * A class for `useClass` and `useExisting` of `ShippingModule.forRootAsync()`.
 * @example
 * class FromConfig implements ShippingOptionsFactory {
 *   constructor(private readonly config: ConfigService) {}
 *   create = () => ({ maxMethods: this.config.get('MAX_METHODS') });
 * }
 */
export interface ShippingOptionsFactory {
  /** Nest calls it once, when the application starts. */
  create(): ShippingFactoryOptions | Promise<ShippingFactoryOptions>;
}

/** The options of `ShippingModule.forRootAsync()`: one of `useFactory`, `useClass` and `useExisting`, and static ones. */
export type ShippingModuleAsyncOptions = StaticOptions & OptionsSource<ShippingFactoryOptions>;

type AsyncOptions<Options> = ConfigurableModuleAsyncOptions<Options, 'create'>;

/** The places from which a module can get its options. Exactly one of them must be given. */
export type OptionsSource<Options> = Pick<AsyncOptions<Options>, 'provideInjectionTokensFrom'> &
  (
    | {
        /** A class with a method `create()`, of which Nest makes an instance. */
        useClass: Type<{ create(): Options | Promise<Options> }>;
        inject?: undefined;
        useFactory?: undefined;
        useExisting?: undefined;
      }
    | {
        /** The class of a provider with a method `create()`. */
        useExisting: Type<{ create(): Options | Promise<Options> }>;
        inject?: undefined;
        useFactory?: undefined;
        useClass?: undefined;
      }
    | {
        /** Returns the options, or a promise of them. Its parameters are what `inject` names. */
        useFactory: NonNullable<AsyncOptions<Options>['useFactory']>;
        inject?: AsyncOptions<Options>['inject'];
        useClass?: undefined;
        useExisting?: undefined;
      }
  );

/** @throws Error that names the option and what it may be */
export function settingsOf(options: OptionsOf<ShippingSettings>): ShippingSettings {
  const settings = checked(new ShippingSettings(), options);
  return { ...settings, beforeCommit: checked(new BeforeCommit(), settings.beforeCommit, 'beforeCommit') };
}

/** @throws Error that names the option and what it may be */
export function staticSettingsOf({ isGlobal, dataSource, imports, http }: StaticOptions) {
  const settings = checked(new StaticSettings(), { isGlobal, dataSource, imports, http });
  return { ...settings, http: settings.http && httpSettingsOf(settings.http) };
}

function httpSettingsOf(options: ShippingHttpOptions): HttpSettings {
  const settings = checked(new HttpSettings(), options, 'http');
  projectParameterOf(settings.path);
  const path = withoutOuterSlashes(settings.path);
  const routeDecorators = checked(new RouteDecorators(), settings.routeDecorators, 'http.routeDecorators');
  return { ...settings, path, routeDecorators };
}

export function withoutOuterSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
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
  const parameters = segments.filter((segment) => /[:*{(]/.test(segment));
  const names = parameters.map((segment) => segment.slice(1));
  const [name] = names.length > 1 ? names.filter((each) => each === 'project_id') : names;
  const areWhole = parameters.every((segment) => /^:\w+$/.test(segment));
  const isReserved = names.includes('order_id') || names.includes('method_id');
  if (name !== undefined && areWhole && !isReserved) return name;
  throw new Error(
    `${option} must be a path with a parameter for the project, such as "tenants/:tenant/shipping". A parameter must be a ` +
      'whole segment of letters, digits and _. If there are several, the project must be ":project_id". None may be ' +
      '":order_id" or ":method_id", which our own routes have.',
  );
}

function isIdentifier(value: unknown): boolean {
  return typeof value === 'string' && identifierPattern.test(value);
}

function isCache(value: unknown): boolean {
  const { maxBytes } = Object(value) as { maxBytes?: unknown };
  return value === false || (Number.isSafeInteger(maxBytes) && Number(maxBytes) >= 0);
}
